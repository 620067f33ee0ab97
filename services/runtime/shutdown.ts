/** How a service stops: a lame-duck time in which it still serves, then draining, then the deadline of everything. */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { onAbort } from "./abort.ts";
import type { Clock } from "./clock.ts";

export type Shutdown = ReturnType<typeof createShutdown>;

export type ShutdownConfig = { lameDuckMs: number; drainMs: number };

const STOPPING = "the service is stopping";

/** Callers learn from its readiness that a service is stopping, so it still serves for `lameDuckMs`. */
export function createShutdown({ lameDuckMs, drainMs }: ShutdownConfig, clock: Clock) {
  const begun = new AbortController();
  const draining = new AbortController();
  const deadline = new AbortController();
  return {
    /** Aborts first: the service is not ready any more, and kept-alive connections are to be closed. */
    begun: begun.signal,
    /** Aborts after the lame-duck time: no new connections, no new work. */
    draining: draining.signal,
    /** Aborts `drainMs` later: what is still in progress is given up. */
    deadline: deadline.signal,
    /** Begins the stop. Resolves after the lame-duck time. */
    begin: async (): Promise<void> => {
      begun.abort(STOPPING);
      if (lameDuckMs > 0) await clock.sleep(lameDuckMs);
      draining.abort(STOPPING);
      // NOTE: real time, and a timer that keeps no process alive: it only ends what has not ended before.
      setTimeout(() => deadline.abort(STOPPING), drainMs).unref();
    },
  };
}

/**
 * From the beginning of the stop on, every HTTP/1 response says `Connection: close`. A client then never sends a
 * request on a connection that the server is closing.
 */
export function closeKeptAlive(server: Server, { begun }: Pick<Shutdown, "begun">) {
  /**
   * To the newest request of each connection: the others are answered before it. Connections stay in it while they are
   * open, because a Map that requests enter and leave costs garbage.
   */
  const newest = new Map<Socket, ServerResponse | undefined>();
  let open = 0;
  const whenEmpty: (() => void)[] = [];
  server.prependListener("request", ({ socket }, response) => {
    if (begun.aborted) response.shouldKeepAlive = false;
    open += 1;
    if (!socket.destroyed) {
      if (!newest.has(socket)) socket.once("close", () => newest.delete(socket));
      newest.set(socket, response);
    }
    response.on("close", () => {
      open -= 1;
      if (newest.get(socket) === response) newest.set(socket, undefined);
      if (open > 0) return;
      for (const resolve of whenEmpty.splice(0)) resolve();
    });
  });
  onAbort(begun, () => {
    for (const response of newest.values()) if (response) response.shouldKeepAlive = false;
  });
  return {
    /** Resolves as soon as no request is in progress. */
    async ended(): Promise<void> {
      if (open > 0) await new Promise<void>((resolve) => whenEmpty.push(resolve));
    },
  };
}
