/**
 * Locks for counting and assigning slots: one for each credential and each account, held until the transaction ends.
 * Under one lock for all, workers would wait for each other, and a paused worker would stop every other. A worker that
 * is paused loses them with its transaction, after 5 s, or 6 s within a statement.
 */
import type { Transaction } from "#runtime/postgres/connect.ts";

/** Waits for other transactions. All callers lock in the same order, so that they do not wait for each other. */
export async function lockCredentials(
  tx: Transaction,
  credentials: readonly string[],
): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(hashtextextended('slots of credential ' || credential, 0))
    from unnest(${credentials.toSorted()}::text[]) as credential`;
}

/** Does not wait: false if another transaction has one of them. */
export async function tryLockCredentials(
  tx: Transaction,
  credentials: readonly string[],
): Promise<boolean> {
  if (credentials.length === 0) return true;
  const [row] = await tx<{ isLocked: boolean }[]>`
    select bool_and(pg_try_advisory_xact_lock(hashtextextended('slots of credential ' || credential, 0)))
      as is_locked
    from unnest(${credentials as string[]}::text[]) as credential`;
  return row?.isLocked ?? true;
}

/** The first `limit` of the accounts that no other transaction has locked. */
export async function tryLockAccounts(
  tx: Transaction,
  accounts: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await tx<{ accountId: string }[]>`
    select account_id from unnest(${accounts as string[]}::text[]) as account_id
    where pg_try_advisory_xact_lock(hashtextextended('slots of account ' || account_id, 0))
    limit ${limit}`;
  return rows.map(({ accountId }) => accountId);
}
