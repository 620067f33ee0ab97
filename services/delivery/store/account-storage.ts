/** How long accounts keep their outputs, how much storage they use, and how much they may. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { LimitedRetention } from "#runtime/postgres/retention.ts";
import type { Owner, StorageRow } from "../domain/file.ts";

/** Sets an account's retention; `days` null keeps outputs for ever. */
export async function setRetention(sql: Db, accountId: string, days: number | null): Promise<void> {
  await sql`
    insert into delivery.asset_retention (account_id, days) values (${accountId}, ${days})
    on conflict (account_id) do update set days = excluded.days`;
}

/** The accounts with a limited retention, which are those that an operator has limited. */
export function listLimitedRetentions(sql: Db): Promise<LimitedRetention[]> {
  return sql<LimitedRetention[]>`
    select account_id, days from delivery.asset_retention where days is not null order by account_id`;
}

export async function sumUsage(sql: Db, accountId: string) {
  type Counts = Record<"keptOutputs" | "keptBytes" | "deletedOutputs" | "deletedBytes", bigint>;
  type Kept = { oldestKeptAt: Date | null; retentionDays: number | null };
  const [sums] = await sql<[Counts & Kept]>`
    select count(*) filter (where delete_at is null) as kept_outputs,
      coalesce(sum(bytes + coalesce(thumbnail_bytes, 0)) filter (where delete_at is null), 0)::bigint
        as kept_bytes,
      count(*) filter (where delete_at is not null) as deleted_outputs,
      coalesce(sum(bytes + coalesce(thumbnail_bytes, 0)) filter (where delete_at is not null), 0)::bigint
        as deleted_bytes,
      min(stored_at) filter (where delete_at is null) as oldest_kept_at,
      (select days from delivery.asset_retention where account_id = ${accountId}) as retention_days
    from delivery.assets
    where account_id = ${accountId} and stored_at is not null`;
  return sums;
}

/** Also answers for an account that has stored nothing. */
export async function findStorage(sql: Db, { accountId, mode }: Owner): Promise<StorageRow> {
  const [row] = await sql<StorageRow[]>`
    select mode, used_bytes, limit_bytes from delivery.storage
    where account_id = ${accountId} and mode = ${mode}`;
  return row ?? { mode, usedBytes: 0n, limitBytes: null };
}

export async function setStorageLimit(
  sql: Db,
  { accountId, mode }: Owner,
  limitBytes: bigint | null,
): Promise<StorageRow> {
  const [row] = await sql<[StorageRow]>`
    insert into delivery.storage (account_id, mode, limit_bytes)
    values (${accountId}, ${mode}, ${limitBytes?.toString() ?? null})
    on conflict (account_id, mode) do update set limit_bytes = excluded.limit_bytes
    returning mode, used_bytes, limit_bytes`;
  return row;
}
