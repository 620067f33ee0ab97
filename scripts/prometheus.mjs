/** `node scripts/prometheus.mjs`: unpacks Debian's Prometheus and promtool for the tests into the cache folder, if there are none. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { locateProgram, unpackPackages } from "./debian-package.mjs";

const NAME = "prometheus";
const SERVER = "usr/bin/prometheus";
const TOOL = "usr/bin/promtool";

/**
 * The paths of both programs, installed or unpacked; undefined when they are not there.
 * @returns {{ server: string, promtool: string } | undefined}
 */
export function locatePrometheus() {
  const [server, promtool] = [SERVER, TOOL].map((path) => locateProgram(NAME, path));
  return server && promtool ? { server, promtool } : undefined;
}

const isMain = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isMain && !locatePrometheus()) {
  try {
    unpackPackages(NAME, [["prometheus"]], [SERVER, TOOL]);
  } catch (error) {
    // Not an error here: two test files need them, and say that they are skipped.
    process.stderr.write(`Prometheus could not be fetched: ${error.message}\n`);
  }
}
