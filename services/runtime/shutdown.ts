/** How a service stops: a lame-duck time in which it still serves, then draining, then the deadline of everything. */
import type { Server, ServerResponse } from "node:http";
import { onAbort } from "./abort.ts";
import type { Clock } from "./clock.ts";

export type Shutdown = {
  /** Aborts first: the service is not ready any more, and kept-alive connections are to be closed. */
  readonly begun: AbortSignal;
  /** Aborts after the lame-duck time: no new connections, no new work. */
  readonly draining: AbortSignal;
  /** Aborts `drainMs` later: what is still in progress is given up. */
  readonly deadline: AbortSignal;
  /** Begins the stop. Resolves after the lame-duck time. */
  begin: () => Promise<void>;
};

export type ShutdownConfig = { lameDuckMs: number; drainMs: number };

const STOPPING = "the service is stopping";

/** Callers learn from its readiness that a service is stopping, so it still serves for `lameDuckMs`. */
export function createShutdown({ lameDuckMs, drainMs }: ShutdownConfig, clock: Clock): Shutdown {
  const begun = new AbortController();
  const draining = new AbortController();
  const deadline = new AbortController();
  return {
    begun: begun.signal,
    draining: draining.signal,
    deadline: deadline.signal,
    async begin() {
      begun.abort(STOPPING);
      if (lameDuckMs > 0) await clock.sleep(lameDuckMs);
      draining.abort(STOPPING);
      // NOTE: real time, and a timer that keeps no process alive: it only ends what has not ended before.
      setTimeout(() => deadline.abort(STOPPING), drainMs).unref();
    },
  };
}

export type OpenResponses = {
  /** Resolves as soon as no request is in progress. */
  ended: () => Promise<void>;
};

/**
 * From the beginning of the stop on, every HTTP/1 response says `Connection: close`. A client then never sends a
 * request on a connection that the server is closing.
 */
export function closeKeptAlive(server: Server, { begun }: Pick<Shutdown, "begun">): OpenResponses {
  const open = new Set<ServerResponse>();
  const whenEmpty: (() => void)[] = [];
  server.prependListener("request", (_request, response) => {
    if (begun.aborted) response.shouldKeepAlive = false;
    open.add(response);
    response.once("close", () => {
      open.delete(response);
      if (open.size > 0) return;
      for (const resolve of whenEmpty.splice(0)) resolve();
    });
  });
  onAbort(begun, () => {
    for (const response of open) response.shouldKeepAlive = false;
  });
  return {
    async ended() {
      if (open.size > 0) await new Promise<void>((resolve) => whenEmpty.push(resolve));
    },
  };
}
