/** How the dashboard uses the component library: its style sheets, and no button that loses the focus. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const styleOf = (name: string) => `@mantine/core/styles/${name}.layer.css`;

const sources = () => globSync("clients/dashboard/src/**/*.{ts,tsx,css}", { cwd: ROOT });

it("every component of the library in use has its style sheet", () => {
  const source = sources()
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

it("only BusyButton shows a loader in a button, because the library disables such a button", () => {
  const loading = /<(?:Button|ActionIcon)\b[^<]*\sloading=/g;
  const found = sources().flatMap((file) =>
    [...readFileSync(`${ROOT}${file}`, "utf8").matchAll(loading)].map(() => file),
  );
  expect(found).toEqual(["clients/dashboard/src/components/form/form.tsx"]);
});
