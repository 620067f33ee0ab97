/** `node scripts/prometheus.mjs`: unpacks Debian's Prometheus and promtool for the tests into the cache folder, if there are none. */
import { locateProgram, unpackWhenRun } from "./debian-package.mjs";

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

unpackWhenRun({
  script: import.meta.url,
  title: "Prometheus",
  name: NAME,
  locate: locatePrometheus,
  packages: [["prometheus"]],
  paths: [SERVER, TOOL],
});
