/** How the dashboard uses the component library. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const styleOf = (name: string) => `@mantine/core/styles/${name}.layer.css`;

it("every component of the library in use has its style sheet", () => {
  const source = globSync("clients/dashboard/src/**/*.{ts,tsx,css}", { cwd: ROOT })
    .map((file) => readFileSync(`${ROOT}${file}`, "utf8"))
    .join("\n");
  const lists = source.matchAll(/(?:im|ex)port \{([^}]*)\} from "@mantine\/core"/g);
  const used = new Set(
    [...lists].flatMap(([, names = ""]) => names.split(",").map((name) => name.trim())),
  );
  const styled = [...used].filter((name) => existsSync(`${ROOT}node_modules/${styleOf(name)}`));
  expect(styled).toContain("Button");
  expect(styled.filter((name) => !source.includes(`"${styleOf(name)}"`))).toEqual([]);
});
