/** `npm pack` builds the package with this: the client and everything else it needs is bundled, so that it has no dependencies. */
import { readFileSync, writeFileSync } from "node:fs";
import { defineConfig } from "tsdown";

/** What is bundled; their licences ask for their text to be kept. */
const BUNDLED = ["@ai-sdk/provider"];

export default defineConfig({
  entry: { index: "index.ts" },
  tsconfig: "../../tsconfig.json",
  platform: "node",
  target: "node22",
  deps: { alwaysBundle: BUNDLED, onlyBundle: BUNDLED },
  fixedExtension: false,
  hash: false,
  dts: { oxc: true },
  hooks: {
    "build:done": () => {
      const licences = BUNDLED.map((name) => {
        const folder = new URL(`../../node_modules/${name}/`, import.meta.url);
        return `${name}\n\n${readFileSync(new URL("LICENSE", folder), "utf8")}`;
      });
      writeFileSync(new URL("dist/LICENCES.txt", import.meta.url), licences.join("\n\n"));
    },
  },
});
