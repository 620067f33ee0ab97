/** Limits the connections to the public port, so that clients cannot use up the files that the process may open. */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

const MAX_CONNECTIONS = 10_000;

/** Half of the files that the process may open; the others are for all else that it does. */
export function maxConnections(): number {
  return Math.min(MAX_CONNECTIONS, Math.floor(maxOpenFiles() / 2));
}

/** Infinity where the system does not tell, or has no limit. */
function maxOpenFiles(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/**
 * Closes each connection to `app` beyond `max`, and with it those that wait for their client's next request, so that
 * the next connections find room. Requests in progress go on.
 */
export function limitConnections({ server }: FastifyInstance, max: number): void {
  let open = 0;
  server.on("connection", (socket: Socket) => {
    open += 1;
    socket.once("close", () => (open -= 1));
    if (open <= max) return;
    server.closeIdleConnections();
    socket.destroy();
  });
}
