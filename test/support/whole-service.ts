/** The whole service as a user runs it: in one process on embedded parts, or as four processes over HTTP/2 and a simulator. */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "#runtime/log.ts";
import type { PeerUrls, ServiceName } from "#runtime/service/service.ts";
import { openIdentities } from "../../services/ops/setup/identities.ts";
import manifest from "../../package.json" with { type: "json" };
import { startNats } from "../../services/standalone/embedded/nats-server.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import { testDatabases, type TestDatabase } from "./database.ts";
import { operatorOf } from "./operator.ts";
import { startProcess, startProgram } from "./process.ts";
import { SIMULATOR_SECRET } from "./simulator-config.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What `npm start` runs on the project's Node: V8's flags and the file. */
const START = manifest.scripts.start.replace(/^.*run\.mjs /, "").split(" ");

/** Quick and cheap: canned clips, loopback receivers allowed. */
const SIMULATED = {
  SIMULATOR_RENDER: "fixture",
  SIMULATOR_PACE_MS: "600",
  EGRESS_ALLOW: "127.0.0.0/8",
  LIVE_PROVIDER: "simulator",
  LAME_DUCK_MS: "0",
};

export type WholeService = Awaited<ReturnType<typeof fourProcesses>>;
export type StandaloneProcess = Awaited<ReturnType<typeof standaloneIn>>;

type Endpoints = Record<ServiceName, PeerUrls>;

/** `npm start` in `dataDir`, of the project or of a copy of it at `root`; one process, whatever the machine has. */
export async function standaloneIn(
  dataDir: string,
  env: Record<string, string> = {},
  root?: string,
) {
  const port = env["PORT"] ?? String(await freePort());
  const settings = { PROCESSES: "1", ...SIMULATED, ...env, PORT: port, DATA_DIR: dataDir };
  const running = startProgram(process.execPath, START, settings, root);
  await running.says("Ctrl-C stops everything");
  const endpoints = JSON.parse(
    await readFile(join(dataDir, "endpoints.json"), "utf8"),
  ) as Endpoints;
  const first = Object.entries(endpoints).map(([name, [url]]) => [name, url]);
  return {
    url: `http://localhost:${port}`,
    rpcUrls: Object.fromEntries(first) as Record<ServiceName, string>,
    ...operatorOf({ DATA_DIR: dataDir }),
    pids: [running.pid],
    running,
    dataDir,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

export async function oneProcess(env: Record<string, string> = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const service = stack.use(await standaloneIn(join(folder.path, "data"), env));
  const running = stack.move();
  return { ...service, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Each service's main.ts on `databases` and an event stream of its own, and the simulator's. Disposes of `databases`. */
export async function fourProcesses(
  databases: Promise<TestDatabase> = testDatabases(),
  env: Record<string, string> = {},
) {
  await using stack = new AsyncDisposableStack();
  const { urls } = stack.use(await databases);
  const folder = stack.use(await temporaryFolder());
  const log = createLog("nats", "silent");
  const nats = stack.use(
    await startNats({ directory: join(folder.path, "nats"), port: await freePort(), log }),
  );
  const identities = await openIdentities(join(folder.path, "keys"));
  const [port, assetsPort, simulatorPort] = [await freePort(), await freePort(), await freePort()];
  const url = `http://localhost:${port}`;
  const rpcUrls = Object.fromEntries(
    await Promise.all(SERVICES.map(async (name) => [name, `http://127.0.0.1:${await freePort()}`])),
  ) as Record<ServiceName, string>;
  const webhookSecretKey = randomBytes(32).toString("base64");
  const starting = SERVICES.map((name) =>
    startProcess(`services/${name}/main.ts`, {
      ...SIMULATED,
      DATABASE_URL: urls[name].url,
      MIGRATE_DATABASE_URL: urls[name].ownerUrl,
      NATS_URL: nats.url,
      SERVICE_KEY_FILE: identities.keyFile(name),
      TRUSTED_KEYS_FILE: identities.trustedFile,
      RPC_PORT: new URL(rpcUrls[name]).port,
      GENERATION_URL: rpcUrls.generation,
      BILLING_URL: rpcUrls.billing,
      DELIVERY_URL: rpcUrls.delivery,
      DELIVERY_ASSETS_URL: `http://127.0.0.1:${assetsPort}/assets`,
      PORT: String(port),
      ASSETS_PORT: String(assetsPort),
      ASSET_BASE_URL: `${url}/assets`,
      DATA_DIR: join(folder.path, name),
      WEBHOOK_SECRET_KEY: webhookSecretKey,
      AUTH_SECRET: "a secret of the tests, long enough",
      SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
      ...env,
    }),
  );
  const pids = starting.map(({ pid }) => pid);
  starting.push(
    startProcess("services/simulator/main.ts", {
      ...SIMULATED,
      SIMULATOR_PORT: String(simulatorPort),
      SIMULATOR_SECRET,
      SIMULATOR_CACHE_DIR: join(folder.path, "simulator"),
    }),
  );
  for (const running of starting) stack.use(running);
  await Promise.all(starting.map((running) => running.says("ready")));
  const endpointsFile = join(folder.path, "endpoints.json");
  await writeFile(endpointsFile, JSON.stringify(rpcUrls));
  const running = stack.move();
  return {
    /** The public address, without /v1. */
    url,
    rpcUrls,
    ...operatorOf({ OPS_ENDPOINTS_FILE: endpointsFile, OPS_KEY_FILE: identities.keyFile("ops") }),
    /** Of the processes that serve, without the simulator's. */
    pids,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
