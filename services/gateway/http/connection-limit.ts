/** Limits the connections to the public port, so that clients cannot use up the files that the process may open. */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Clock } from "#runtime/clock.ts";

const MAX_CONNECTIONS = 10_000;
/** The beginning of a request comes with its connection. The rest has the time of Node's header timeout. */
const SEND_WITHIN_MS = 1_000;

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
 * Closes each connection to `app` beyond `max`, and with it those that wait for their client's next request or that have
 * sent nothing yet, so that the next connections find room. Requests in progress go on.
 */
export function limitConnections({ server }: FastifyInstance, max: number, clock: Clock): void {
  /** The open connections, oldest first. */
  const acceptedMs = new Map<Socket, number>();
  const closeSilent = () => {
    const before = clock.monotonicMs() - SEND_WITHIN_MS;
    for (const [socket, ms] of acceptedMs) {
      if (ms > before) return;
      if (socket.bytesRead === 0) socket.destroy();
    }
  };
  server.on("connection", (socket: Socket) => {
    acceptedMs.set(socket, clock.monotonicMs());
    socket.once("close", () => acceptedMs.delete(socket));
    if (acceptedMs.size <= max) return;
    server.closeIdleConnections();
    closeSilent();
    socket.destroy();
  });
}
