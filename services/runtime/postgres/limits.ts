/** How long things may take in Postgres and on the way to it, in milliseconds; its settings; when it cannot be used. */
import type postgres from "postgres";

/** If the server is silent, a statement fails after `silent`, and the next ones after `connect`. */
export const LIMITS = {
  /** Postgres gives up a statement after this time, waiting for locks included. */
  statement: 6_000,
  /** Postgres ends a transaction, and frees its locks, when its process is idle for so long: it may be paused. */
  idleInTransaction: 5_000,
  /** Postgres 17 and later ends a transaction, even if its client is paused within a statement. */
  transaction: 30_000,
  /** A connection is closed after so long without a byte: it is not used, or the server is silent. */
  silent: 7_000,
  /** The time until a new connection is ready. */
  connect: 3_000,
  /** How long a statement waits for a free connection. */
  wait: 12_000,
};

export type Limits = typeof LIMITS;

export const NO_LIMITS = {
  statement: 0,
  idleInTransaction: 0,
  transaction: 0,
  silent: 0,
} satisfies Partial<Limits>;

type Transaction = postgres.TransactionSql<{ bigint: bigint }>;

/** A server that was asked to give up answers within this time. */
const ANSWER_MS = 1_000;

/** How to change, for each transaction that runs, the time after which its connection counts as silent. */
const silences = new WeakMap<Transaction, (ms: number) => void>();

/** `setSilence` is for a connection without a limit too: it then changes nothing. */
export function noteSilence(tx: Transaction, setSilence: (ms: number) => void): void {
  silences.set(tx, setSilence);
}

/**
 * Lets each further statement of `tx` read much, and take `ms` in Postgres instead of the usual limit, which `tx` as a
 * whole does not have any more; `tx` is what `begin` gave. The connection is held for so long, also when the server is
 * silent: for rare statements only.
 */
export async function allowMuch(tx: Transaction, ms: number): Promise<void> {
  const setSilence = silences.get(tx);
  if (!setSilence) throw new Error("only a transaction of a pool can be given more time");
  const settings = { statement_timeout: String(ms), ...ANY_PLAN };
  await tx`
    select set_config(name, value, true)
    from unnest(${Object.keys(settings)}::text[], ${Object.values(settings)}::text[]) as one (name, value)`;
  await tx`
    select set_config('transaction_timeout', '0', true)
    where current_setting('server_version_num')::int >= ${TRANSACTION_TIMEOUT_SINCE}`;
  setSilence(ms + ANSWER_MS);
}

/** No connection within the time limit, or the connection was lost; `cause` has the details. */
export class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";
}

/** The SQLSTATE of a write on a standby: the server that was the primary is it no more. */
export const READ_ONLY_STATE = "25006";

/** Lost connections, time limits, shutdown and start, too many clients, a full disk, deadlocks, standbys. */
const UNAVAILABLE_STATES = /^(08...|25006|57014|57P0[1-5]|25P0[34]|53[13]00|55P03|40001|40P01)$/;

/**
 * Whether `error`, or what caused it, says that Postgres could not carry out a statement now, for a reason that has
 * nothing to do with the statement. A write that failed so may have happened.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const { name, code, cause } = (error ?? {}) as Record<string, unknown>;
  if (name === "PostgresError" && UNAVAILABLE_STATES.test(String(code))) return true;
  return cause !== undefined && isDatabaseUnavailable(cause);
}

/**
 * Each statement finds its rows by an index, where there is one, whatever the planner knows of its tables: of one that
 * has just grown it knows nothing, and a connection would keep the plan that reads all of it.
 */
const PLANS = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  // A plan that is not a favourite costs so much that Postgres would compile it.
  jit: "off",
  // Such a plan does not depend on parameters. A prepared statement has it made once, not for each execution.
  plan_cache_mode: "force_generic_plan",
};

/** For a transaction that reads much: the planner has all plans to choose from, and knows the parameters. */
const ANY_PLAN = {
  enable_hashjoin: "on",
  enable_mergejoin: "on",
  enable_seqscan: "on",
  plan_cache_mode: "auto",
};

/** The first version that knows transaction_timeout; earlier ones refuse it. */
export const TRANSACTION_TIMEOUT_SINCE = 170_000;

/** Time limits and plans that every version knows. */
export function postgresSettings(limits: Limits): Record<string, string | number> {
  return {
    statement_timeout: limits.statement,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    ...PLANS,
  };
}
