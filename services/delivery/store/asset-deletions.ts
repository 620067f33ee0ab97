/** Deletion of stored outputs: marking, claiming and recording. */
import type { Db, Transaction } from "#runtime/postgres/connect.ts";
import type { AssetId } from "./assets.ts";
import { isUnusedFile } from "./files.ts";

/** Outputs and their bytes, thumbnails included. */
export type Usage = { outputs: bigint; bytes: bigint };

const NOTHING: Usage = { outputs: 0n, bytes: 0n };

/** Marks a generation's stored outputs for deletion; returns those that were not marked before. */
export async function markGenerationForDeletion(
  sql: Db,
  { accountId, generationId, at }: { accountId: string; generationId: string; at: Date },
): Promise<Usage> {
  const [marked] = await sql<Usage[]>`
    with marked as (
      update delivery.assets set delete_at = ${at}
      where account_id = ${accountId} and generation_id = ${generationId}
        and stored_at is not null and delete_at is null
      returning bytes + coalesce(thumbnail_bytes, 0) as bytes
    )
    select count(*) as outputs, coalesce(sum(bytes), 0)::bigint as bytes from marked`;
  return marked ?? NOTHING;
}

/** Before the token of an output that cannot be recorded any more. */
const DISCARDED = "discarded ";

/**
 * Marks a discarded generation's stored outputs for deletion, and takes the tokens of the others away, which it returns:
 * copies that ended before they were recorded may have left objects under them. A copy that is being recorded at this
 * moment is waited for and marked, or cannot be recorded.
 */
export async function discardAssets(
  tx: Transaction,
  { accountId, generationId, at }: { accountId: string; generationId: string; at: Date },
): Promise<string[]> {
  await tx`
    select from delivery.assets where account_id = ${accountId} and generation_id = ${generationId}
    for update`;
  await markGenerationForDeletion(tx, { accountId, generationId, at });
  const rows = await tx<{ token: string }[]>`
    update delivery.assets set token = ${DISCARDED} || replace(token, ${DISCARDED}, '')
    where account_id = ${accountId} and generation_id = ${generationId} and stored_at is null
    returning token`;
  return rows.map(({ token }) => token.slice(DISCARDED.length));
}

export type OlderAssets = { accountId: string; storedBefore: Date; at: Date; limit: number };

/** Marks up to `limit` of what an account stored before a time, oldest first; not the files that generations use. */
export async function markOlderForDeletion(
  sql: Db,
  { accountId, storedBefore, at, limit }: OlderAssets,
): Promise<Usage> {
  const [marked] = await sql<Usage[]>`
    with older as (
      select generation_id, position from delivery.assets
      where account_id = ${accountId} and stored_at < ${storedBefore} and delete_at is null
        and stored_at is not null and (not starts_with(generation_id, 'file_') or ${isUnusedFile(sql)})
      order by stored_at limit ${limit}
      for update
    ), marked as (
      update delivery.assets asset set delete_at = ${at}
      from older
      where asset.account_id = ${accountId} and asset.generation_id = older.generation_id
        and asset.position = older.position
      returning asset.bytes + coalesce(asset.thumbnail_bytes, 0) as bytes
    )
    select count(*) as outputs, coalesce(sum(bytes), 0)::bigint as bytes from marked`;
  return marked ?? NOTHING;
}

/** Marks up to `limit` of the outputs that have expired by `at`; returns how many. */
export async function markExpiredForDeletion(
  sql: Db,
  { at, limit }: { at: Date; limit: number },
): Promise<number> {
  const result = await sql`
    update delivery.assets asset set delete_at = ${at}
    from (
      select account_id, generation_id, position from delivery.assets
      where expires_at <= ${at} and delete_at is null and stored_at is not null
      order by expires_at limit ${limit}
      for update skip locked
    ) expired
    where asset.account_id = expired.account_id and asset.generation_id = expired.generation_id
      and asset.position = expired.position`;
  return result.count;
}

export type AssetToDelete = {
  accountId: string;
  generationId: string;
  position: number;
  key: string;
  thumbnailKey: string | null;
};

/** Claims marked outputs that are due, for this caller alone until `leaseUntil`. */
export async function claimAssetsToDelete(
  sql: Db,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<AssetToDelete[]> {
  return sql<AssetToDelete[]>`
    update delivery.assets asset set delete_at = ${leaseUntil}
    from (
      select account_id, generation_id, position from delivery.assets
      where delete_at <= ${now} and deleted_at is null
      order by delete_at limit ${limit}
      for update skip locked
    ) due
    where asset.account_id = due.account_id and asset.generation_id = due.generation_id
      and asset.position = due.position
    returning asset.account_id, asset.generation_id, asset.position, asset.key, asset.thumbnail_key`;
}

/** Records that the objects of a marked output were deleted. */
export async function recordDeletionIfMarked(sql: Db, id: AssetId, at: Date): Promise<void> {
  await sql`
    update delivery.assets set deleted_at = ${at}
    where account_id = ${id.accountId} and generation_id = ${id.generationId}
      and position = ${id.position} and delete_at is not null and deleted_at is null`;
}

/** Whether the output with this token was deleted or is marked for deletion. */
export async function isAssetDeleted(sql: Db, token: string): Promise<boolean> {
  const rows = await sql`
    select 1 from delivery.assets where token = ${token} and delete_at is not null limit 1`;
  return rows.length > 0;
}
