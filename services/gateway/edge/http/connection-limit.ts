/** Limits the connections to the public port, so that clients cannot use up the files that the process may open. */
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Clock } from "#runtime/clock.ts";

/** The first request of an honest client comes with its connection. */
const SEND_WITHIN_MS = 1_000;

/**
 * For each connection to `app` beyond `max` closes another: the oldest whose first request has not come whole in time,
 * else the one that has waited longest for its client's next request, else the oldest whose first request has not come.
 * Only where all others have a request in progress is the new one closed.
 */
export function limitConnections({ server }: FastifyInstance, max: number, clock: Clock): void {
  let open = 0;
  /** When those were opened whose first request has not come whole, oldest first. */
  const unbegun = new Map<Socket, number>();
  /** Those that wait for their client's next request, longest first. */
  const between = new Set<Socket>();
  /** Requests in progress, by connection. */
  const busy = new Map<Socket, number>();
  const closeOne = (newest: Socket) => {
    const [unused] = between;
    // The new one is among them, the last.
    const [[oldest, openedMs] = [newest, 0]] = unbegun;
    const isDue = openedMs <= clock.monotonicMs() - SEND_WITHIN_MS;
    const closed = isDue ? oldest : (unused ?? oldest);
    unbegun.delete(closed);
    between.delete(closed);
    closed.destroy();
  };
  server.on("connection", (socket: Socket) => {
    open += 1;
    unbegun.set(socket, clock.monotonicMs());
    socket.once("close", () => {
      open -= 1;
      for (const kind of [unbegun, between, busy]) kind.delete(socket);
    });
    if (open > max) closeOne(socket);
  });
  server.prependListener("request", ({ socket }, response) => {
    unbegun.delete(socket);
    between.delete(socket);
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (busy.get(socket) ?? 0) - 1;
      if (left > 0) busy.set(socket, left);
      else if (busy.delete(socket) && !socket.destroyed) between.add(socket);
    });
  });
}
