/** More time and other plans for the statements of one transaction. */
import type postgres from "postgres";
import { ANY_PLAN, TRANSACTION_TIMEOUT_SINCE } from "./settings.ts";

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
 * whole does not have any more; `tx` is what `begin` gave. The connection is held for so long, also when the server is silent: for rare statements only.
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
