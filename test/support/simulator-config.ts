/** A simulator for tests: canned pictures, and one secret, so that each answers for the others. */
import type { SimulatorConfig } from "../../services/simulator/config.ts";

export const SIMULATOR_SECRET = "a secret of the tests, which all simulators share";

export function simulatorConfig(
  cacheDirectory: string,
  changes: Partial<SimulatorConfig> = {},
): SimulatorConfig {
  return {
    host: "127.0.0.1",
    port: 0,
    baseUrl: undefined,
    secret: SIMULATOR_SECRET,
    cacheDirectory,
    drainMs: 1_000,
    maxCacheBytes: 1024 ** 3,
    paceMs: 0,
    render: "fixture",
    urlTtlMs: 3_600_000,
    logLevel: "error",
    ...changes,
  };
}
