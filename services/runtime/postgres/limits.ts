/** How long things may take in Postgres and on the way to it, in milliseconds. */

/** If the server is silent, every statement fails within 11 s: after `silent`, or after `connect` once all are given up. */
export const LIMITS = {
  /** Postgres gives up a statement after this time, waiting for locks included. */
  statement: 6_000,
  /** Postgres ends a transaction, and frees its locks, when its process is idle for so long: it may be paused. */
  idleInTransaction: 5_000,
  /** Postgres 17 and later ends a transaction after this time, whatever its client does: it may be paused within a statement. */
  transaction: 30_000,
  /** A connection is closed after so long without a byte: it is not used, or the server is silent. */
  silent: 7_000,
  /** The time until a new connection is ready. */
  connect: 3_000,
  /** How long a statement waits for a free connection. */
  wait: 12_000,
};

export type Limits = typeof LIMITS;

/** The limits of migrations. */
export const NO_LIMITS = {
  statement: 0,
  idleInTransaction: 0,
  transaction: 0,
  silent: 0,
} satisfies Partial<Limits>;
