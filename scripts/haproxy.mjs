/** `node scripts/haproxy.mjs`: unpacks Debian's HAProxy for the tests into the cache folder, if there is none. */
import { locateWithLibraries, unpackWhenRun } from "./debian-package.mjs";

const NAME = "haproxy";

/** HAProxy and those of its libraries that a Debian system may lack, whichever version of Debian it is. */
const packages = [
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

unpackWhenRun({
  script: import.meta.url,
  title: "HAProxy",
  name: NAME,
  locate: locateHaproxy,
  packages,
});
