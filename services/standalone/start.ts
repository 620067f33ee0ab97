/** Starts the whole service in one data folder: its servers, embedded or not, and one process or several. */
import { join } from "node:path";
import { systemClock } from "#runtime/clock.ts";
import { asPort } from "#runtime/listen.ts";
import { createLog, logDestination } from "#runtime/log.ts";
import { migrate } from "#runtime/postgres/migrate.ts";
import { SERVICES, schemaOf } from "#runtime/service/service.ts";
import type { StandaloneConfig } from "./settings/config.ts";
import { openDataFolder } from "./data-folder/data-folder.ts";
import { openDemo } from "./demo.ts";
import { openIdentities } from "../ops/setup/identities.ts";
import { openParts, type Parts } from "./parts.ts";
import { openStatusPage } from "./status-page.ts";
import { startWorkers } from "./processes/workers.ts";
import { openSecrets, replaceFile } from "./data-folder/secrets.ts";
import { freePort, openOnce } from "./embedded/ports.ts";

export type Standalone = Awaited<ReturnType<typeof startStandalone>>;

/** Throws StartError or ConfigError with the reason when it cannot start; nothing is left running then. */
export async function startStandalone(wanted: StandaloneConfig) {
  await using stack = new AsyncDisposableStack();
  const port = wanted.port === 0 ? await freePort() : wanted.port;
  await asPort("PORT", "PORT", openOnce(port));
  const folder = stack.use(await openDataFolder(wanted.dataDir));
  const config = { ...wanted, port, dataDir: folder.path };
  const logFile = join(folder.path, "service.log");
  const log = createLog(undefined, config.logLevel, logDestination(logFile));
  await openIdentities(join(folder.path, "keys"));
  await openSecrets(folder.path);
  // The servers start while the modules of the services are loaded.
  const [parts, loaded] = await Promise.allSettled([
    openParts(config, log),
    config.processes === 1 ? import("./processes/services.ts") : undefined,
  ]);
  if (parts.status === "rejected") throw parts.reason;
  const { databases, nats } = stack.use(parts.value);
  if (loaded.status === "rejected") throw loaded.reason;
  const inProcess = loaded.value;
  await migrateAll(databases);
  const setup = { databases, nats, port, dataDir: folder.path };
  const services = stack.use(
    inProcess
      ? await inProcess.startServices(config, setup, log)
      : await startWorkers(setup, config.processes, logFile, log),
  );
  // The operators' command line finds the services by it.
  const endpoints = `${JSON.stringify(services.rpcUrls, undefined, 2)}\n`;
  await replaceFile(join(folder.path, "endpoints.json"), endpoints);
  const statusPage = stack.use(await openStatusPage(services.rpcUrls, config.statusPort));
  const demoFolder = join(folder.path, "demo");
  const demo = await openDemo(demoFolder, { DATA_DIR: folder.path });
  // Beside the key, so that the command line sends the key to no other service.
  await replaceFile(join(demoFolder, "url"), `http://localhost:${port}/v1\n`);
  await untilReady(`http://127.0.0.1:${port}/readyz`);
  return Object.assign(stack.move(), {
    url: services.url,
    /** The page that shows `ops status`; this machine alone reaches it. */
    statusUrl: statusPage.url,
    demo,
    /** The log of the services, one JSON object per line. */
    logFile,
  });
}

const READY_TRIES = 600;
const READY_EVERY_MS = 100;

/** Whoever reads its first lines may call it at once. After a minute it goes on: some calls are answered all the same. */
async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < READY_TRIES && !(await fetch(url)).ok; tries++) {
    await systemClock.sleep(READY_EVERY_MS);
  }
}

async function migrateAll(databases: Parts["databases"]): Promise<void> {
  await Promise.all(
    SERVICES.map((name) => migrate({ url: databases[name].ownerUrl, ...schemaOf(name) })),
  );
}
