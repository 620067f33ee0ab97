/** TCP servers that misbehave, and proxies, before Postgres among others, that go silent, cut connections and speak TLS. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

type Tls = { cert: string; key: string };

export type TcpProxy = Awaited<ReturnType<typeof startProxy>>;

/** Does this with each connection, and nothing else. */
export async function startTcp(takes: (socket: Socket) => void) {
  const server = createServer((socket) => takes(socket.on("error", () => socket.destroy())));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** With `tls`, accepts clients that ask for TLS, as Postgres does. */
export async function startDatabaseProxy(url: string, tls?: Tls) {
  const { hostname, port } = new URL(url);
  const proxy = await startProxy(() => ({ host: hostname, port: Number(port) }), tls);
  const host = `127.0.0.1:${proxy.port}`;
  return {
    ...proxy,
    /** `target` with this proxy as its host. */
    through: (target: string) => Object.assign(new URL(target), { host }).href,
  };
}

/** `target` is where each new connection leads. */
export async function startProxy(target: () => { host: string; port: number }, tls?: Tls) {
  const pairs = new Set<[client: Socket, server: Socket]>();
  let isClosed = false;
  let isHung = false;
  let maxBytes = Infinity;
  const server = createServer({ allowHalfOpen: true }, (accepted) => {
    if (isClosed) return void accepted.resetAndDestroy();
    const upstream = connect({ ...target(), allowHalfOpen: true });
    const pair: [Socket, Socket] = [accepted, upstream];
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true).on("error", () => {});
      socket.once("close", () => {
        for (const other of pair) other.destroy();
        pairs.delete(pair);
      });
    }
    if (isHung) return;
    if (maxBytes < Infinity) cutShort(accepted, upstream, maxBytes);
    else if (tls) accepted.once("data", () => pipe(encrypted(accepted, tls), upstream));
    else pipe(accepted, upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  /** Breaks all connections. */
  const cut = () => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };
  const silence = () => {
    for (const pair of pairs) for (const socket of pair) socket.unpipe().pause();
  };
  return {
    port: (server.address() as AddressInfo).port,
    /** From now on no byte passes on the connections that exist. */
    silence,
    /** The same, and new connections are taken and never answered. */
    hang() {
      isHung = true;
      silence();
    },
    /** Bytes that waited arrive, unless the proxy has `tls`, and new connections work. */
    heal() {
      isClosed = isHung = false;
      silence();
      for (const pair of pairs) pipe(...pair);
    },
    /** The clients freeze as soon as each has sent once more. */
    freezeAfterNext() {
      for (const [client] of pairs) client.once("data", () => client.unpipe().pause());
    },
    cut,
    /** Breaks each new connection when so many bytes of the server have passed. */
    cutAfter: (bytes: number) => (maxBytes = bytes),
    /** While down, breaks all connections and takes no others. */
    setDown(isDown: boolean) {
      isClosed = isDown;
      if (isDown) cut();
    },
    connections: () => pairs.size,
    /** Ends all connections as those of a killed process end. */
    async [Symbol.asyncDispose]() {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
}

function pipe(client: Socket, server: Socket): void {
  client.pipe(server).pipe(client);
}

function cutShort(client: Socket, server: Socket, maxBytes: number): void {
  let left = maxBytes;
  client.pipe(server);
  server.on("data", (bytes: Buffer) => {
    const passed = bytes.subarray(0, left);
    left -= passed.length;
    if (left === 0) client.end(passed);
    else client.write(passed);
  });
}

function encrypted(socket: Socket, tls: Tls): Socket {
  socket.write("S");
  const secure = new TLSSocket(socket, { isServer: true, ...tls });
  return secure.on("error", () => {});
}
