/**
 * Connections, each of one caller at a time; callers wait in order, and not for long. The driver's own pool (postgres
 * 3.4.9: `max`, `idle_timeout`, `max_lifetime`, `connect_timeout`) in place of this and driver-connection.ts failed or
 * hung in tests of lost connections, outages and paused servers: it sends statements of several callers over one
 * connection (with `max_pipeline: 0` transactions break), waits without a limit, and is mute after a loss.
 */
import type { DriverConnection } from "./driver-connection.ts";
import { DatabaseUnavailable } from "./limits.ts";

/** What a pool holds, and how many callers wait for a connection. */
export type PoolCounts = { in_use: number; idle: number; waiting: number };

/** Hears of the callers of a pool. */
export type PoolObserver = {
  /** Called once, with what tells the counts from then on. */
  opened: (counts: () => PoolCounts) => void;
  /** A caller that had to wait has got a connection, after that many milliseconds. */
  waited: (ms: number) => void;
  /** A caller got none, after that many milliseconds. */
  refused: (ms: number) => void;
};

type PoolOptions = {
  maxConnections: number;
  waitMs: number;
  /** Opens one connection; rejects when no server can be used. */
  open: () => Promise<DriverConnection>;
  observer?: PoolObserver | undefined;
};

type Waiting = { resolve: (connection: DriverConnection) => void; reject: (error: Error) => void };

/** The pause after a failed attempt to connect, doubled after each further one. */
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 500;
/** A connection is replaced at this age, so that load spreads over new servers. */
const MAX_AGE_MS = 30 * 60_000;

export function createPool({ maxConnections, waitMs, open, observer }: PoolOptions) {
  const idle: DriverConnection[] = [];
  const bornAt = new Map<DriverConnection, number>();
  const waiting = new Set<Waiting>();
  const drained = Promise.withResolvers<void>();
  let opening = 0;
  let failures = 0;
  let isEnding = false;

  /** Closes the connection, which then is none of the pool any more. */
  const discard = (connection: DriverConnection) => {
    connection.close();
    bornAt.delete(connection);
    if (isEnding && bornAt.size === 0) drained.resolve();
  };

  const release = (connection: DriverConnection) => {
    const age = performance.now() - (bornAt.get(connection) ?? 0);
    if (isEnding || connection.isClosed() || age > MAX_AGE_MS) {
      discard(connection);
      return grow();
    }
    const [next] = waiting;
    if (next) next.resolve(connection);
    else idle.push(connection);
  };

  /** While no server answers, one attempt at a time finds out whether one does again. */
  const grow = () => {
    const canOpen = () =>
      opening < waiting.size &&
      bornAt.size + opening < maxConnections &&
      (failures === 0 || opening === 0);
    while (canOpen()) void openOne();
  };

  const openOne = async () => {
    opening += 1;
    try {
      await pause(failures);
      const connection = await open();
      failures = 0;
      bornAt.set(connection, performance.now());
      opening -= 1;
      release(connection);
    } catch (error) {
      failures += 1;
      opening -= 1;
      // Callers that may still get one of the other connections wait for it.
      if (bornAt.size === 0 && opening === 0) {
        for (const one of waiting) one.reject(unreachable(error));
      }
    }
    grow();
  };

  observer?.opened(() => ({
    in_use: bornAt.size - idle.length,
    idle: idle.length,
    waiting: waiting.size,
  }));
  return {
    release,
    /** A connection for the caller alone. Rejects with DatabaseUnavailable. */
    take(): Promise<DriverConnection> {
      if (isEnding) return Promise.reject(new DatabaseUnavailable("the service is stopping"));
      for (let found = idle.pop(); found; found = idle.pop()) {
        if (!found.isClosed()) return Promise.resolve(found);
        discard(found);
      }
      return new Promise((resolve, reject) => {
        const askedMs = performance.now();
        const leave = () => {
          clearTimeout(timer);
          waiting.delete(one);
        };
        const one: Waiting = {
          resolve: (connection) => {
            leave();
            observer?.waited(performance.now() - askedMs);
            resolve(connection);
          },
          reject: (error) => {
            leave();
            observer?.refused(performance.now() - askedMs);
            reject(error);
          },
        };
        const timer = setTimeout(() => {
          one.reject(new DatabaseUnavailable(`no free connection within ${waitMs} ms`));
        }, waitMs);
        waiting.add(one);
        grow();
      });
    },
    /** Waits up to `timeoutMs` for connections that are in use, then closes all. */
    async end(timeoutMs: number) {
      isEnding = true;
      for (const one of waiting) one.reject(new DatabaseUnavailable("the service is stopping"));
      for (const connection of idle.splice(0)) discard(connection);
      if (bornAt.size === 0) return;
      const timer = setTimeout(drained.resolve, timeoutMs);
      await drained.promise;
      clearTimeout(timer);
      for (const connection of bornAt.keys()) discard(connection);
    },
  };
}

function pause(failures: number): Promise<void> {
  if (failures === 0) return Promise.resolve();
  const longest = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
  const ms = longest * (0.5 + Math.random() / 2);
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function unreachable(cause: unknown): DatabaseUnavailable {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseUnavailable(`Postgres cannot be reached: ${reason}`, { cause });
}
