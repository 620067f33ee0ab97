/** What `npm start` prints when it is ready: addresses, who signs in, where things are, and first calls to paste. */
import { relative, resolve } from "node:path";
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

/** Commands that make a video in test mode and fetch its file, pasted together or one by one; the key is in the file. */
export function firstCalls(url: string, keyFile: string): string {
  return `VIDEO=$(curl -sS ${url}/v1/videos/generations -H "Authorization: Bearer $(cat '${keyFile.replaceAll("'", "'\\''")}')" -H 'Prefer: wait=60' -H 'Content-Type: application/json' -d '{"model":"beta-3.0-video","prompt":"a cat in the rain"}')
printf '%s\\n' "$VIDEO"
curl -sS -o cat.mp4 "$(printf '%s' "$VIDEO" | grep -o 'http[^"]*\\.mp4' | head -n 1)"`;
}
