/** `npm start`: the whole service with its servers, embedded or not, until Ctrl-C. */
import { firstCalls } from "./first-calls.ts";
import { relative } from "node:path";
import { endOnUncaught } from "#runtime/crash.ts";
import { ConfigError } from "#runtime/env.ts";
import { readConfig, type StandaloneConfig } from "./settings/config.ts";
import { startStandalone, type Standalone } from "./start.ts";
import { StartError } from "./settings/start-error.ts";

// NOTE: `on`, not `once`: Ctrl-C sends one signal from the terminal and one through npm; the second must not kill us.
const stop = new Promise<void>((resolve) => {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => resolve());
});

endOnUncaught();
try {
  const config = readConfig(process.env);
  await using service = await startStandalone(config);
  process.stdout.write(welcome(service, config));
  await stop;
  process.stdout.write("Stopping.\n");
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError;
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}

function welcome(
  { url, rpcUrls, statusUrl, demo, logFile }: Standalone,
  config: StandaloneConfig,
): string {
  const here = (path: string) => relative(process.cwd(), path) || ".";
  const live =
    config.liveProvider === "simulator"
      ? "Live mode is served by the simulator (LIVE_PROVIDER=simulator)."
      : `Live mode is served by ${config.upstreams.path ? `the upstreams of ${here(config.upstreams.path)}` : "no upstream: set UPSTREAMS_FILE"} (LIVE_PROVIDER=none).`;
  return `
Ready: ${url}/v1

  Dashboard   ${url}/dashboard
              sign in as ${demo.email} with the password in ${here(demo.passwordFile)}
  RPC         ${Object.entries(rpcUrls)
    .map(([name, rpcUrl]) => `${name} ${rpcUrl}`)
    .join("\n              ")}
  Status      ${statusUrl}
  Demo keys   ${here(demo.liveKeyFile)} (live), ${here(demo.testKeyFile)} (test); account ${demo.accountId}
  Logs        ${here(logFile)}
  ${live}

Make a video in test mode and fetch the file:

${firstCalls(url, here(demo.testKeyFile))}

Ctrl-C stops everything.
`;
}
