/**
 * NATS servers with JetStream for one test, as a cluster or alone, each of which can be killed, paused, wiped and
 * started again.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { locateNatsServer } from "../../scripts/nats-binary.mjs";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startProgram, type Running } from "./process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type NatsNode = ReturnType<typeof natsNode>;

/**
 * Resolves when all servers accept connections and, in a cluster, have elected a JetStream leader. `size` 1 is a server
 * alone; `lines` are of every server's configuration, such as `authorization { token: "…" }`.
 */
export async function startNatsCluster({ size = 3, lines = "" } = {}) {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());
  const ports = new Set<number>();
  while (ports.size < size * 2) ports.add(await freePort());
  const [own, peers] = [[...ports].slice(0, size), [...ports].slice(size)];
  const routes = peers.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
  const shared = { lines };
  const nodes = own.map((port, at) => {
    const cluster = `cluster { name: c, listen: "127.0.0.1:${peers[at]}", routes: [${routes}] }`;
    const added = () => [size === 1 ? "" : cluster, shared.lines];
    return natsNode(`n${at + 1}`, port, join(directory, `n${at + 1}`), added);
  });
  for (const node of nodes) stack.defer(() => node.end());
  const startAll = async () => {
    await Promise.all(nodes.map((node) => node.start()));
    // A server that joins late may log nothing of the leader; what tests wait for next needs all servers anyway.
    if (size > 1) await Promise.any(nodes.map((node) => node.says("metadata leader")));
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
      await Promise.all(nodes.map(({ store }) => rm(store, { recursive: true, force: true })));
      await startAll();
    },
    /** Replaces the added lines of the configuration; the running servers read them soon after. */
    async configure(changed: string) {
      shared.lines = changed;
      for (const node of nodes) await node.configure();
      for (const node of nodes) node.signal("SIGHUP");
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** `added` are lines of its configuration. */
function natsNode(name: string, port: number, directory: string, added: () => string[]) {
  const configFile = join(directory, "nats.conf");
  const store = join(directory, "store");
  let running: Running | undefined;
  const configure = async () => {
    await mkdir(directory, { recursive: true });
    const lines = [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${port}"`,
      `jetstream { store_dir: ${JSON.stringify(store)}, max_mem: 64MB, max_file: 1GB }`,
      ...added(),
    ];
    await writeFile(configFile, `${lines.join("\n")}\n`);
  };
  const says = async (text: string) => running?.says(text);
  return {
    name,
    /** Without credentials. */
    url: `nats://127.0.0.1:${port}`,
    /** Of its streams and consumers. */
    store,
    configure,
    says,
    /** What the server wrote since it started. */
    output: () => running?.output() ?? "",
    /** Sends a signal, such as SIGSTOP, and does not wait. */
    signal: (sent: NodeJS.Signals) => running?.signal(sent),
    /** Resolves when the process has ended. */
    end: async () => void (await running?.end("SIGKILL")),
    /** Starts the ended process again on the same ports and store; resolves when it accepts connections. */
    async start() {
      await configure();
      running = startProgram(locateNatsServer() ?? "nats-server", ["-c", configFile], {});
      await says("Server is ready");
    },
  };
}
