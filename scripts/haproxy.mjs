/** `node scripts/haproxy.mjs`: unpacks Debian's HAProxy for the tests into the cache folder, if there is none. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { locateWithLibraries, unpackPackages } from "./debian-package.mjs";

const NAME = "haproxy";

/** HAProxy and those of its libraries that a Debian system may lack, whichever version of Debian it is. */
const PACKAGES = [
  ["haproxy"],
  ["liblua5.3-0"],
  ["liblua5.4-0"],
  ["libopentracing1"],
  ["libopentracing-c-wrapper0", "libopentracing-c-wrapper0t64"],
];

/**
 * An installed HAProxy, or the unpacked one with the folders of its libraries; undefined when there is none.
 * @returns {{ program: string, libraries: string } | undefined}
 */
export function locateHaproxy() {
  return locateWithLibraries(NAME, "usr/sbin/haproxy");
}

const isMain = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isMain && !locateHaproxy()) {
  try {
    unpackPackages(NAME, PACKAGES);
  } catch (error) {
    // Not an error here: only the fleet of deploy/compose.yaml needs it.
    process.stderr.write(`HAProxy could not be fetched: ${error.message}\n`);
  }
}
