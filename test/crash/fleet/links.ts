/** Connections between the parts of a fleet, each through a proxy that can cut it or make it silent. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { Through } from "../../support/compose/addresses.ts";

export function createLinks() {
  const links = new Map<string, ReturnType<typeof openLink>>();
  const redirected = new Map<string, number>();
  return {
    all: () => [...links.values()],
    /** Puts a link between a caller and the port that it would be given. */
    through: (async (from, to, port) => {
      const name = `${from}>${to}`;
      const link = links.get(name) ?? openLink(from, to);
      links.set(name, link);
      return link.listen(() => redirected.get(to) ?? port, port);
    }) satisfies Through,
    /** From now on, links to `part` lead to another port of this machine. */
    redirect: (part: string, port: number) => void redirected.set(part, port),
    async [Symbol.asyncDispose]() {
      await Promise.all([...links.values()].map((link) => link.close()));
    },
  };
}

/** All connections from one part to another. */
function openLink(from: string, to: string) {
  const proxies = new Map<number, ReturnType<typeof startProxy>>();
  const pairs = new Set<ReturnType<typeof joinSockets>>();
  let state: "open" | "cut" | "silent" = "open";
  const accept = (socket: Socket, port: number) => {
    if (state === "cut") return void socket.resetAndDestroy();
    const pair = joinSockets(socket, port);
    pairs.add(pair);
    socket.once("close", () => pairs.delete(pair));
    if (state === "silent") pair.pause();
  };
  return {
    from,
    to,
    /** Resets the connections and refuses new ones. */
    cut() {
      state = "cut";
      for (const pair of pairs) pair.reset();
    },
    /** Bytes stop in both directions; connections stay open, and new ones are accepted unless `onlyOpen`. */
    silence(onlyOpen: boolean) {
      state = onlyOpen ? "open" : "silent";
      for (const pair of pairs) pair.pause();
    },
    /** Bytes that waited arrive, and new connections work. */
    heal() {
      state = "open";
      for (const pair of pairs) pair.resume();
    },
    /** The port of the proxy that leads to `port`. */
    async listen(target: () => number, port: number) {
      const proxy = proxies.get(port) ?? startProxy((socket) => accept(socket, target()));
      proxies.set(port, proxy);
      return (await proxy).port;
    },
    async close() {
      for (const pair of pairs) pair.reset();
      const started = await Promise.all(proxies.values());
      await Promise.all(started.map((proxy) => proxy.close()));
    },
  };
}

async function startProxy(accept: (socket: Socket) => void) {
  const server = createServer({ allowHalfOpen: true }, accept);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((done) => server.close(done)),
  };
}

function joinSockets(near: Socket, port: number) {
  const far = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  let isPaused = false;
  const forward = (source: Socket, sink: Socket) => {
    source.setNoDelay(true);
    source.on("data", (chunk: Buffer) => {
      if (!sink.write(chunk)) source.pause();
    });
    sink.on("drain", () => {
      if (!isPaused) source.resume();
    });
    source.on("end", () => sink.end());
    source.on("error", () => sink.destroy());
    source.on("close", () => sink.destroy());
  };
  forward(near, far);
  forward(far, near);
  return {
    pause() {
      isPaused = true;
      near.pause();
      far.pause();
    },
    resume() {
      isPaused = false;
      near.resume();
      far.resume();
    },
    reset() {
      near.resetAndDestroy();
      far.destroy();
    },
  };
}
