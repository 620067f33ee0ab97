/**
 * NATS servers with JetStream for one test, as a cluster or alone, each of which can be killed, paused, wiped and
 * started again.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { locateNatsServer } from "../../scripts/nats-binary.mjs";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { createReplica } from "./compose/replica.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/**
 * Resolves when all servers accept connections; a cluster may still elect its leader of JetStream. `size` 1 is a server
 * alone; `lines` are of every server's configuration, such as `authorization { token: "…" }`.
 */
export async function startNatsCluster({ size = 3, lines = "" } = {}) {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());
  const addresses = () =>
    Promise.all(Array.from({ length: size }, async () => `nats://127.0.0.1:${await freePort()}`));
  const [urls, peers] = [await addresses(), await addresses()];
  const nodes = urls.map((url, at) => {
    const name = `n${at + 1}`;
    const store = join(directory, name);
    const configFile = `${store}.conf`;
    const routes = JSON.stringify(peers);
    const cluster = `cluster { name: c, listen: "${new URL(peers[at] ?? "").host}", routes: ${routes} }`;
    const own = [
      `server_name: ${name}`,
      `listen: "${new URL(url).host}"`,
      `jetstream { store_dir: "${store}" }`,
      size === 1 ? "" : cluster,
    ];
    const replica = createReplica({
      name,
      service: "nats",
      file: locateNatsServer() ?? "nats-server",
      args: ["-c", configFile],
      environment: {},
      readyText: "Server is ready",
      ports: new Map(),
    });
    return {
      ...stack.use(replica),
      url,
      configure: (added: string) => writeFile(configFile, [...own, added].join("\n")),
      wipe: () => rm(store, { recursive: true }),
    };
  });
  const configure = (added: string) => Promise.all(nodes.map((node) => node.configure(added)));
  await configure(lines);
  await Promise.all(nodes.map((node) => node.start()));
  const running = stack.move();
  return {
    nodes,
    /** All URLs as NATS_URL has them, without credentials. */
    url: urls.join(","),
    /** Replaces the added lines of the configuration; the running servers read them soon after. */
    async configure(changed: string) {
      await configure(changed);
      for (const node of nodes) process.kill(node.pid(), "SIGHUP");
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export type NatsNode = Awaited<ReturnType<typeof startNatsCluster>>["nodes"][number];
