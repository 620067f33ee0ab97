/** `node scripts/pgbouncer.mjs`: unpacks Debian's PgBouncer for the tests into the cache folder, if there is none. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { locateWithLibraries, unpackPackages } from "./debian-package.mjs";

const NAME = "pgbouncer";

/** PgBouncer and those of its libraries that a Debian system may lack, whichever version of Debian it is. */
const PACKAGES = [
  ["pgbouncer"],
  ["libcares2", "libc-ares2"],
  ["libevent-2.1-7", "libevent-2.1-7t64"],
];

/**
 * An installed PgBouncer, or the unpacked one with the folders of its libraries; undefined when there is none.
 * @returns {{ program: string, libraries: string } | undefined}
 */
export function locatePgbouncer() {
  return locateWithLibraries(NAME, "usr/sbin/pgbouncer");
}

const isMain = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isMain && !locatePgbouncer()) {
  try {
    unpackPackages(NAME, PACKAGES);
  } catch (error) {
    // Not an error here: one test file needs it, and says that it is skipped.
    process.stderr.write(`PgBouncer could not be fetched: ${error.message}\n`);
  }
}
