/** More time for the statements of one transaction. */
import type postgres from "postgres";

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
 * Lets each further statement of `tx` take `ms` in Postgres instead of the usual limit; `tx` is what `begin` gave. The
 * connection is held for so long, also when the server is silent: for rare statements only.
 */
export async function allowTime(tx: Transaction, ms: number): Promise<void> {
  const setSilence = silences.get(tx);
  if (!setSilence) throw new Error("only a transaction of a pool can be given more time");
  await tx`select set_config('statement_timeout', ${String(ms)}, true)`;
  setSilence(ms + ANSWER_MS);
}
