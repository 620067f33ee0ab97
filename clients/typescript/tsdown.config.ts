/** `npm pack` builds the package with this: everything it needs is bundled, so that it has no dependencies. */
import { readFileSync, writeFileSync } from "node:fs";
import { defineConfig } from "tsdown";

/** What is bundled; their licences ask for their text to be kept. */
const BUNDLED = ["openapi-fetch", "commander"];

export default defineConfig({
  entry: { index: "index.ts", cli: "cli/main.ts" },
  tsconfig: "../../tsconfig.json",
  platform: "node",
  target: "node20",
  dts: { entry: "index.ts", oxc: true },
  deps: { alwaysBundle: BUNDLED, onlyBundle: BUNDLED },
  fixedExtension: false,
  hash: false,
  hooks: {
    "build:done": () => {
      const licences = BUNDLED.map((name) => {
        const text = readFileSync(
          new URL(`../../node_modules/${name}/LICENSE`, import.meta.url),
          "utf8",
        );
        return `${name}\n\n${text}`;
      });
      writeFileSync(new URL("dist/LICENCES.txt", import.meta.url), licences.join("\n\n"));
    },
  },
});
