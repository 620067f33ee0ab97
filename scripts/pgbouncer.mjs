/** `node scripts/pgbouncer.mjs`: unpacks Debian's PgBouncer for the tests into the cache folder, if there is none. */
import { locateWithLibraries, unpackWhenRun } from "./debian-package.mjs";

const NAME = "pgbouncer";

/** PgBouncer and those of its libraries that a Debian system may lack, whichever version of Debian it is. */
const packages = [
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

unpackWhenRun({
  script: import.meta.url,
  title: "PgBouncer",
  name: NAME,
  locate: locatePgbouncer,
  packages,
});
