/** How long things may take in Postgres and on the way to it, in milliseconds. */

/** With a silent server every statement fails within 11 s: after `silent`, or after `connect` once all are given up. */
export const LIMITS = {
  /** Postgres gives up a statement after this time, waiting for locks included. */
  statement: 6_000,
  /** Postgres ends a transaction, and frees its locks, when its process is idle for so long: it may be paused. */
  idleInTransaction: 5_000,
  /** Without a byte for so long a connection is closed: it is not used, or the server is silent. */
  silent: 7_000,
  /** Until a new connection is ready. */
  connect: 3_000,
  /** How long a statement waits for a free connection. */
  wait: 12_000,
};

export type Limits = typeof LIMITS;

/** For migrations. */
export const NO_LIMITS = {
  statement: 0,
  idleInTransaction: 0,
  silent: 0,
} satisfies Partial<Limits>;
