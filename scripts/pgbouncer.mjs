/** `node scripts/pgbouncer.mjs`: unpacks Debian's PgBouncer for the tests into the cache folder, if there is none. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { locateProgram, unpackedFolder, unpackPackages } from "./debian-package.mjs";

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
  const program = locateProgram(NAME, "usr/sbin/pgbouncer");
  if (!program) return undefined;
  const unpacked = unpackedFolder(NAME);
  if (!program.startsWith(unpacked)) return { program, libraries: "" };
  const folders = [join(unpacked, "usr/lib"), join(unpacked, "lib")].filter(existsSync);
  const nested = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return { program, libraries: [...folders, ...nested].join(":") };
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
