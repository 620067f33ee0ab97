/** `npm pack` builds the package with this, as ES modules and as CommonJS, without dependencies: all that it needs is bundled. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig } from "tsdown";

/** What is bundled; their licences ask for their text to be kept. */
const BUNDLED = ["commander", "standardwebhooks", "fast-sha256", "@stablelib/base64"];

const shared = {
  tsconfig: "../../tsconfig.json",
  platform: "node",
  target: "node20",
  deps: { alwaysBundle: BUNDLED, onlyBundle: BUNDLED },
  fixedExtension: false,
  hash: false,
} as const;

/** The command line is an ES module only: nobody imports it. */
const library = { ...shared, entry: { index: "index.ts" }, dts: { oxc: true } } as const;

export default defineConfig([
  { ...library, format: "cjs" },
  {
    ...library,
    entry: { index: "index.ts", cli: "cli/main.ts" },
    dts: { entry: "index.ts", oxc: true },
    hooks: {
      "build:done": () => {
        const licences = BUNDLED.map((name) => {
          const folder = new URL(`../../node_modules/${name}/`, import.meta.url);
          const licence = new URL("LICENSE", folder);
          // standardwebhooks has its licence by name only.
          const file = existsSync(licence) ? licence : new URL("package.json", folder);
          return `${name}\n\n${readFileSync(file, "utf8")}`;
        });
        writeFileSync(new URL("dist/LICENCES.txt", import.meta.url), licences.join("\n\n"));
      },
    },
  },
]);
