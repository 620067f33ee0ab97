/** Rows of delivery.storage: what accounts keep, which a trigger of delivery.assets counts, and may keep. */
import type { ModeName } from "#vocabulary/mode.ts";
import type { Db, Transaction } from "#runtime/postgres/connect.ts";
import type { StorageRow } from "../domain/storage-limit.ts";

/** Also answers for an account that has stored nothing. */
export async function findStorage(
  sql: Db,
  { accountId, mode }: { accountId: string; mode: ModeName },
): Promise<StorageRow> {
  const [row] = await sql<StorageRow[]>`
    select mode, used_bytes, limit_bytes from delivery.storage
    where account_id = ${accountId} and mode = ${mode}`;
  return row ?? { mode, usedBytes: 0n, limitBytes: null };
}

export async function setStorageLimit(
  sql: Db,
  { accountId, mode }: { accountId: string; mode: ModeName },
  limitBytes: bigint | null,
): Promise<StorageRow> {
  const [row] = await sql<StorageRow[]>`
    insert into delivery.storage (account_id, mode, limit_bytes)
    values (${accountId}, ${mode}, ${limitBytes?.toString() ?? null})
    on conflict (account_id, mode) do update set limit_bytes = excluded.limit_bytes
    returning mode, used_bytes, limit_bytes`;
  if (!row) throw new Error("an upsert returns its row");
  return row;
}

/** The first account after `after` that has stored anything. */
export async function nextStoringAccount(sql: Db, after: string): Promise<string | undefined> {
  const [row] = await sql<{ accountId: string }[]>`
    select account_id from delivery.assets where account_id > ${after} order by account_id limit 1`;
  return row?.accountId;
}

/** Lets one transaction at a time correct the account: what two find missing is missing once. */
export async function lockRecounts(tx: Transaction, accountId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`storage ${accountId}`}, 0))`;
}

/**
 * Corrects what is counted of an account; returns the modes that differed. One statement sees assets and counters as of
 * one moment, and adds what was missing then, so that changes meanwhile count too.
 */
export async function correctStorage(tx: Transaction, accountId: string): Promise<ModeName[]> {
  const rows = await tx<{ mode: ModeName }[]>`
    with kept as (
      select mode, sum(delivery.kept_bytes(a)) as bytes
      from delivery.assets a
      where account_id = ${accountId} and stored_at is not null and delete_at is null
      group by mode
    ), counted as (
      select mode, used_bytes from delivery.storage where account_id = ${accountId}
    ), differing as (
      select mode, coalesce(bytes, 0) - coalesce(used_bytes, 0) as bytes from kept full join counted using (mode)
    )
    insert into delivery.storage as s (account_id, mode, used_bytes)
    select ${accountId}, mode, bytes from differing where bytes <> 0 order by mode
    on conflict (account_id, mode) do update set used_bytes = s.used_bytes + excluded.used_bytes
    returning mode`;
  return rows.map(({ mode }) => mode);
}
