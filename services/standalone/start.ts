/** Starts the whole service with embedded servers in one process and one data folder. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { createLog } from "#runtime/log.ts";
import type { ServiceName } from "#runtime/service.ts";
import type { StandaloneConfig } from "./config.ts";
import { openDataFolder } from "./data-folder/data-folder.ts";
import { openDemo } from "./demo.ts";
import type { Demo } from "./demo.ts";
import { openIdentities } from "../ops/identities.ts";
import { startEmbedded } from "./embedded/embedded.ts";
import { startServices } from "./services.ts";
import { checkPortIsFree, freePort } from "./embedded/ports.ts";

export type Standalone = AsyncDisposable & {
  url: string;
  rpcUrls: Record<ServiceName, string>;
  demo: Demo;
  /** The log of the services, one JSON object per line. */
  logFile: string;
};

/** Throws StartError or ConfigError with the reason when it cannot start; nothing is left running then. */
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
  const identities = await openIdentities(keysDirectory);
  const embedded = stack.use(await startEmbedded(folder.path, log));
  const services = stack.use(await startServices(config, embedded, identities, log));
  await writeEndpoints(join(folder.path, "endpoints.json"), services.rpcUrls);
  const demo = await openDemo(join(folder.path, "demo"), services.rpcUrls, identities.keys.ops);
  const running = stack.move();
  return {
    url: services.url,
    rpcUrls: services.rpcUrls,
    demo,
    logFile,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Writes the file by which the operators' command line finds the services. */
async function writeEndpoints(path: string, rpcUrls: Record<ServiceName, string>): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(rpcUrls, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
}
