/** A TCP proxy before Postgres that can go silent, cut connections, and speak TLS. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** With `tls`, accepts clients that ask for TLS, as a server does. */
export async function startDatabaseProxy(url: string, tls?: { cert: string; key: string }) {
  const { hostname, port } = new URL(url);
  const pairs = new Set<[client: Socket, server: Socket]>();
  let isClosed = false;
  let isHung = false;
  let maxBytes = Infinity;
  const server = createServer((accepted) => {
    if (isClosed) return void accepted.destroy();
    const upstream = connect(Number(port), hostname);
    const pair: [Socket, Socket] = [accepted, upstream];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => {});
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
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** Breaks all connections. */
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  const silence = () => {
    for (const pair of pairs) for (const socket of pair) socket.unpipe().pause();
  };
  return {
    /** `target` with this proxy as its host. */
    through: (target: string) => Object.assign(new URL(target), { host }).href,
    /** From now on no byte passes on the connections that exist. */
    silence,
    /** The same, and new connections are taken and never answered. */
    hang() {
      isHung = true;
      silence();
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
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
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

function encrypted(socket: Socket, tls: { cert: string; key: string }): Socket {
  socket.write("S");
  const secure = new TLSSocket(socket, { isServer: true, ...tls });
  return secure.on("error", () => {});
}
