/** The whole service on embedded parts, in one process and one data folder. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { createLog } from "#runtime/log.ts";
import type { ServiceName } from "#runtime/service.ts";
import type { StandaloneConfig } from "./config.ts";
import { openDataFolder } from "./data-folder/data-folder.ts";
import { keptDemo } from "./demo.ts";
import type { Demo } from "./demo.ts";
import { keptIdentities } from "./data-folder/identities.ts";
import { startParts } from "./embedded/embedded.ts";
import { startServices } from "./services.ts";
import { checkPortIsFree, freePort } from "./embedded/ports.ts";

export type Standalone = AsyncDisposable & {
  url: string;
  rpcUrls: Record<ServiceName, string>;
  demo: Demo;
  /** Where the services log, one JSON object a line. */
  logFile: string;
};

/** Throws StartError or ConfigError with the reason where it cannot start; then nothing is left running. */
export async function startStandalone(wanted: StandaloneConfig): Promise<Standalone> {
  await using stack = new AsyncDisposableStack();
  const port = wanted.port === 0 ? await freePort() : wanted.port;
  await checkPortIsFree(port);
  const folder = stack.use(await openDataFolder(wanted.dataDir));
  const config = { ...wanted, port, dataDir: folder.path };
  const logFile = join(folder.path, "service.log");
  const log = createLog(
    undefined,
    config.logLevel,
    pino.destination({ dest: logFile, sync: true }),
  );
  const keysDirectory = join(folder.path, "keys");
  await mkdir(keysDirectory, { recursive: true, mode: 0o700 });
  const identities = await keptIdentities(keysDirectory);
  const parts = stack.use(await startParts(folder.path, log));
  const services = stack.use(await startServices(config, parts, identities, log));
  await publish(join(folder.path, "endpoints.json"), services.rpcUrls);
  const demo = await keptDemo(join(folder.path, "demo"), services.rpcUrls, identities.keys.ops);
  const running = stack.move();
  return {
    url: services.url,
    rpcUrls: services.rpcUrls,
    demo,
    logFile,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The operator's command line finds the services by this file. */
async function publish(path: string, rpcUrls: Record<ServiceName, string>): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(rpcUrls, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
}
