/** Limits the connections to the public port, so that clients cannot use up the files that the process may open. */
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Clock } from "#runtime/clock.ts";

/** The first request of an honest client comes with its connection. */
const SEND_WITHIN_MS = 1_000;

/** An open connection. It is changed in place, for the reason that is written at `byConnection`. */
type Connection = {
  socket: Socket;
  openedMs: number;
  inProgress: number;
  /** Which of all answers its last one was; absent while it waits for none and before its first. */
  waitsSince?: number | undefined;
};

/**
 * For each connection to `app` beyond `max` closes another: the oldest whose first request has not come whole in time,
 * else the one that has waited longest for its client's next request, else the oldest whose first request has not come.
 * Only where all others have a request in progress is the new one closed.
 */
export function limitConnections({ server }: FastifyInstance, max: number, clock: Clock): void {
  const connections = new Map<string, Connection>();
  /** Those whose first request has not come whole, oldest first. */
  const unbegun = new Set<Connection>();
  const waiting = longestWaiting(connections);
  let answers = 0;
  const forget = (connection: Connection) => {
    const name = nameOf(connection.socket);
    if (connections.get(name) === connection) connections.delete(name);
    unbegun.delete(connection);
  };
  const closeOne = (newest: Connection) => {
    // The new one is among them, the last.
    const [oldest = newest] = unbegun;
    const isDue = oldest.openedMs <= clock.monotonicMs() - SEND_WITHIN_MS;
    const closed = isDue ? oldest : (waiting.next() ?? oldest);
    forget(closed);
    closed.socket.destroy();
  };
  server.on("connection", (socket: Socket) => {
    const connection: Connection = { socket, openedMs: clock.monotonicMs(), inProgress: 0 };
    connections.set(nameOf(socket), connection);
    unbegun.add(connection);
    socket.once("close", () => forget(connection));
    if (connections.size > max) closeOne(connection);
  });
  server.prependListener("request", ({ socket }, response) => {
    const connection = connections.get(nameOf(socket));
    if (!connection) return;
    unbegun.delete(connection);
    connection.inProgress += 1;
    connection.waitsSince = undefined;
    response.on("close", () => {
      connection.inProgress -= 1;
      if (connection.inProgress === 0) connection.waitsSince = answers += 1;
    });
  });
}

/** The same for a connection and for the TLS that it carries. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Which of `connections` has waited longest. They are put in order once for many, not with each request. */
function longestWaiting(connections: ReadonlyMap<string, Connection>) {
  /** The longest last. Some may have had requests since. */
  let inOrder: { connection: Connection; since: number }[] = [];
  const last = () => {
    for (let one = inOrder.pop(); one; one = inOrder.pop()) {
      const { connection, since } = one;
      if (connection.waitsSince === since && !connection.socket.destroyed) return connection;
    }
    return undefined;
  };
  return {
    next(): Connection | undefined {
      const found = last();
      if (found) return found;
      inOrder = [...connections.values()].flatMap((connection) => {
        const { waitsSince: since } = connection;
        return since === undefined ? [] : [{ connection, since }];
      });
      inOrder.sort((one, other) => other.since - one.since);
      return last();
    },
  };
}
