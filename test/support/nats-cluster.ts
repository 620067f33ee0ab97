/**
 * NATS servers with JetStream for one test, as a cluster or alone, each of which can be killed, paused, wiped and
 * started again.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "#runtime/log.ts";
import { locateNatsServer } from "../../scripts/nats-binary.mjs";
import { type Child, planLaunch, startChild } from "../../services/standalone/embedded/process.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Of which an election may take 9 s, and another where the votes were split. */
const READY_TIMEOUT_MS = 60_000;

export type NatsNode = ReturnType<typeof natsNode>;

/**
 * Resolves when all servers accept connections and, in a cluster, have elected a JetStream leader. `size` 1 is a server
 * alone; `lines` are of every server's configuration, such as `authorization { token: "…" }`.
 */
export async function startNatsCluster({ size = 3, lines = "" } = {}) {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());
  const ports = await freePorts(size * 2);
  const routes = ports.slice(size).map((port) => `"nats://127.0.0.1:${port}"`);
  const shared = { lines };
  const nodes = ports.slice(0, size).map((port, index) =>
    natsNode({
      name: `n${index + 1}`,
      port,
      directory: join(directory, `n${index + 1}`),
      cluster:
        size === 1
          ? ""
          : `cluster { name: c, listen: "127.0.0.1:${ports[size + index]}", routes: [${routes.join(", ")}] }`,
      added: () => shared.lines,
    }),
  );
  for (const node of nodes) stack.defer(() => node.end());
  const startAll = async () => {
    await Promise.all(nodes.map((node) => node.start()));
    // A server that joins late may log nothing of the leader; what tests wait for next needs all servers anyway.
    if (size > 1) await Promise.any(nodes.map((node) => node.hasLeader()));
  };
  await startAll();
  const running = stack.move();
  return {
    nodes: nodes as readonly NatsNode[],
    /** All URLs as NATS_URL has them, without credentials. */
    url: nodes.map(({ url }) => url).join(","),
    /** Kills all servers, deletes their stores and starts them again. */
    async wipe() {
      await Promise.all(nodes.map((node) => node.end()));
      await Promise.all(nodes.map((node) => node.deleteStore()));
      await startAll();
    },
    /** Replaces the added lines of the configuration; the running servers read them soon after. */
    async configure(changed: string) {
      shared.lines = changed;
      await Promise.all(nodes.map((node) => node.reload()));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type NodeOptions = {
  name: string;
  port: number;
  directory: string;
  /** The cluster block of the configuration; empty for a server alone. */
  cluster: string;
  added: () => string;
};

function natsNode({ name, port, directory, cluster, added }: NodeOptions) {
  const configFile = join(directory, "nats.conf");
  const store = join(directory, "store");
  let child: Child | undefined;
  const configure = async () => {
    await mkdir(directory, { recursive: true });
    const lines = [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${port}"`,
      `jetstream { store_dir: ${JSON.stringify(store)}, max_mem: 64MB, max_file: 1GB }`,
      cluster,
      added(),
    ];
    await writeFile(configFile, `${lines.join("\n")}\n`);
  };
  /** Sends a signal, such as SIGSTOP, and does not wait. */
  const signal = (sent: NodeJS.Signals) => {
    if (child?.pid !== undefined) process.kill(child.pid, sent);
  };
  let leaderKnown = Promise.resolve(false);
  return {
    name,
    /** Without credentials. */
    url: `nats://127.0.0.1:${port}`,
    /** The last lines that the server wrote. */
    lines: () => child?.lines() ?? [],
    signal,
    /** Resolves when the process has ended. */
    async end() {
      const ending = child;
      child = undefined;
      await ending?.stop("SIGKILL");
    },
    /** Starts the ended process again on the same ports and store; resolves when it accepts connections. */
    async start() {
      await configure();
      const file = serverProgram();
      const launch = planLaunch({ file, args: ["-c", configFile], deathSignal: "KILL" });
      const started = startChild(name, launch, createLog("nats", "silent"));
      child = started;
      // From the start on: a server keeps its last lines only.
      leaderKnown = started.waitForLine(/metadata leader/, READY_TIMEOUT_MS);
      if (await started.waitForLine(/Server is ready/, READY_TIMEOUT_MS)) return;
      throw new Error(`NATS did not start:\n${started.lines().join("\n")}`);
    },
    /** Resolves when the running server knows the leader of JetStream. */
    async hasLeader() {
      if (!(await leaderKnown)) throw new Error("the NATS servers have no leader");
    },
    /** Deletes the streams and consumers of the ended process. */
    deleteStore: () => rm(store, { recursive: true, force: true }),
    async reload() {
      if (child === undefined) return;
      await configure();
      signal("SIGHUP");
    },
  };
}

function serverProgram(): string {
  const program = locateNatsServer();
  if (program === undefined) throw new Error("there is no NATS server: node scripts/setup.mjs");
  return program;
}

/** Different ports: each is taken only after the others were chosen. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
