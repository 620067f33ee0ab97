/** Opens the public port so that new connections are accepted soon, also under load. */
import cluster from "node:cluster";
import { once } from "node:events";
import { createServer, type AddressInfo, type ListenOptions, type Server } from "node:net";
import type { FastifyInstance, FastifyListenOptions } from "fastify";
import type { Clock } from "#runtime/clock.ts";
import { maxConnections } from "#runtime/max-connections.ts";
import { limitConnections } from "./connection-limit.ts";

/**
 * Node accepts one connection of a listener in each turn of its event loop. Under load a turn takes some 20 ms, so that
 * one listener accepts 50 connections a second and clients wait for seconds. Two thousand new connections should be
 * accepted in a second.
 */
const LISTENERS = 128;

export type OpenPort = AsyncDisposable & { port: number };

/**
 * Has `app` listen on the port through several listeners among which the system shares connections out, where it can,
 * for at most `max` connections at a time. Rejects with EADDRINUSE when the port is taken. Disposal closes the port and
 * `app`, and resolves when all requests in progress are answered.
 */
export async function openPort(
  app: FastifyInstance,
  address: { host: string; port: number },
  clock: Clock,
  max = maxConnections(),
): Promise<OpenPort> {
  limitConnections(app, max, clock);
  // In a cluster the processes share one listener, and each accepts.
  const isShared = process.platform === "linux" && !cluster.isWorker;
  const more: Server[] = [];
  const close = async () => {
    // A listener has closed when the connections that it accepted are closed; `app` knows only of its own.
    const closed = more.map((listener) => once(listener.close(), "close"));
    await app.close();
    await Promise.all(closed);
  };
  try {
    if (isShared && address.port !== 0) await ensureFree(address);
    await app.listen({ ...address, reusePort: isShared } as FastifyListenOptions);
    const { port } = app.server.address() as AddressInfo;
    while (isShared && more.length < LISTENERS - 1) {
      more.push(await listenFor(app, { ...address, port }));
    }
    return { port, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Listeners that share a port would also share it with another gateway that runs already. */
async function ensureFree(address: ListenOptions): Promise<void> {
  const server = createServer().listen(address);
  await once(server, "listening");
  await new Promise((resolve) => server.close(resolve));
}

async function listenFor({ server }: FastifyInstance, address: ListenOptions): Promise<Server> {
  const { allowHalfOpen = false } = server as { allowHalfOpen?: boolean };
  const listener = createServer({ allowHalfOpen, noDelay: true }, (socket) => {
    server.emit("connection", socket);
  });
  listener.listen({ ...address, reusePort: true });
  await once(listener, "listening");
  return listener;
}
