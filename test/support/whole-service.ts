/** The whole service as a user runs it: in one process on embedded parts. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PeerUrls, ServiceName } from "#runtime/service/service.ts";
import manifest from "../../package.json" with { type: "json" };
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { operatorOf } from "./operator.ts";
import { startProgram } from "./process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What `npm start` runs on the project's Node: V8's flags and the file. */
const START = manifest.scripts.start.replace(/^.*scripts\/run /, "").split(" ");

/** Quick and cheap: canned clips, loopback receivers allowed. */
const SIMULATED = {
  SIMULATOR_RENDER: "fixture",
  SIMULATOR_PACE_MS: "600",
  EGRESS_ALLOW: "127.0.0.0/8",
  LIVE_PROVIDER: "simulator",
  LAME_DUCK_MS: "0",
};

export type WholeService = Awaited<ReturnType<typeof standaloneIn>>;

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
