/** What `npm start` prints when it is ready: addresses, who signs in, where things are, and first calls to paste. */
import { relative, resolve } from "node:path";
import { firstCalls } from "./first-calls.ts";
import type { StandaloneConfig } from "./settings/config.ts";
import type { Standalone } from "./start.ts";

export function welcome(
  { url, statusUrl, demo, logFile }: Standalone,
  config: Pick<StandaloneConfig, "dataDir" | "generation">,
): string {
  // What is pasted into another shell must work there; the commands of README.md are for the folder of the project.
  const isDefault = config.dataDir === resolve(".data");
  const here = (path: string) => (isDefault ? relative(process.cwd(), path) || "." : path);
  const { liveProvider, upstreams } = config.generation;
  const live =
    liveProvider === "simulator"
      ? "Live mode is served by the simulator (LIVE_PROVIDER=simulator)."
      : `Live mode is served by ${upstreams.path ? `the upstreams of ${here(upstreams.path)}` : "no upstream: set UPSTREAMS_FILE"} (LIVE_PROVIDER=none).`;
  return `
Ready: ${url}/v1

  Docs        ${url}/docs
  Dashboard   ${url}/dashboard
              sign in as ${demo.email} with the password in ${here(demo.passwordFile)}
  Status      ${statusUrl}
  Demo keys   ${here(demo.liveKeyFile)} (live), ${here(demo.testKeyFile)} (test); account ${demo.accountId}
  Logs        ${here(logFile)}
  ${live}

Make a video in test mode and fetch the file:

${firstCalls(url, here(demo.testKeyFile))}

Ctrl-C stops everything.
`;
}
