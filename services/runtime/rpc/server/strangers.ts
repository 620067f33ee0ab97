/** Closes connections to the RPC port that make no call with a valid token: callers make one as soon as they connect. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest, Http2Session } from "node:http2";
import type { Socket } from "node:net";
import { createContextKey } from "@connectrpc/connect";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import { startPeriodicJobs } from "../../periodic-job.ts";

const MAX_STRANGE_MS = 10_000;
const LOOK_MS = 1_000;

/** What is closed: a session over HTTP/2, else the socket. */
export type Connection = Socket | Http2Session;

export const connectionKey = createContextKey<Connection | undefined>(undefined, {
  description: "connection of the call",
});

export function connectionOf(
  request: IncomingMessage | Http2ServerRequest,
): Connection | undefined {
  return "stream" in request ? request.stream.session : request.socket;
}

/** Disposal closes none. */
export type Strangers = AsyncDisposable & {
  /** Its time begins. */
  meet: (connection: Connection) => void;
  /** Its time begins again, if it is a stranger. */
  renew: (connection: Connection) => void;
  /** It is closed, or a caller's, and has all time. */
  forget: (connection: Connection) => void;
  /** Closes the one whose time began first. */
  closeOldest: () => void;
};

export function createStrangers(deps: { clock: Clock; log: Log }): Strangers {
  /** When the time of each began, oldest first. */
  const met = new Map<Connection, number>();
  const forget = (connection: Connection) => met.delete(connection);
  const meet = (connection: Connection) => {
    forget(connection);
    met.set(connection, deps.clock.monotonicMs());
  };
  const close = (connection: Connection) => {
    forget(connection);
    connection.destroy();
  };
  const run = () => {
    const dueMs = deps.clock.monotonicMs() - MAX_STRANGE_MS;
    for (const [connection, metMs] of met) if (metMs <= dueMs) close(connection);
  };
  const job = { name: "close strangers", firstAfterMs: LOOK_MS, everyMs: LOOK_MS, run };
  const jobs = startPeriodicJobs([job], deps);
  return {
    meet,
    renew: (connection) => met.has(connection) && meet(connection),
    forget,
    closeOldest() {
      const [oldest] = met.keys();
      if (oldest) close(oldest);
    },
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}
