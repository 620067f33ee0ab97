/** `node scripts/promtool.mjs`: unpacks Prometheus' promtool of Debian for the tests into the cache folder, if there is none. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { locateProgram, unpackPackages } from "./debian-package.mjs";

const NAME = "promtool";
const PROGRAM = "usr/bin/promtool";

/**
 * The path of an installed or unpacked promtool; undefined when there is none.
 * @returns {string | undefined}
 */
export function locatePromtool() {
  return locateProgram(NAME, PROGRAM);
}

const isMain = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isMain && !locatePromtool()) {
  try {
    unpackPackages(NAME, [["prometheus"]], [PROGRAM]);
  } catch (error) {
    // Not an error here: one test file needs it, and says that it is skipped.
    process.stderr.write(`promtool could not be fetched: ${error.message}\n`);
  }
}
