/** Deletion of assets: marking, claiming and recording; and of what is known of discarded ones. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { OutputsOf } from "./assets.ts";

/** Outputs and their bytes, thumbnails included. */
export type Usage = { outputs: bigint; bytes: bigint };

/** Marks assets for deletion; `which` names and locks them. Returns what was not marked before. */
async function mark(sql: Db, at: Date, which: ReturnType<Db>): Promise<Usage> {
  const [marked] = await sql<Usage[]>`
    with chosen as (
      select token from delivery.assets where stored_at is not null and delete_at is null and ${which}
    ), marked as (
      update delivery.assets set delete_at = ${at} where token in (select token from chosen)
      returning bytes + coalesce(thumbnail_bytes, 0) as bytes
    )
    select count(*) as outputs, coalesce(sum(bytes), 0)::bigint as bytes from marked`;
  return marked ?? { outputs: 0n, bytes: 0n };
}

/** Marks a generation's outputs, or a file. */
export function markOwnedForDeletion(
  sql: Db,
  { accountId, ownerId, at }: { accountId: string; ownerId: string; at: Date },
): Promise<Usage> {
  return mark(sql, at, sql`account_id = ${accountId} and owner_id = ${ownerId} for update`);
}

export type Limits = { at: Date; limit: number };

/** Marks up to `limit` of what an account stored before a time, oldest first; not the files that generations use. */
export function markOlderForDeletion(
  sql: Db,
  { accountId, storedBefore, at, limit }: Limits & { accountId: string; storedBefore: Date },
): Promise<Usage> {
  const older = sql`account_id = ${accountId} and stored_at < ${storedBefore} and not is_used`;
  return mark(sql, at, sql`${older} order by stored_at limit ${limit} for update`);
}

export function markExpiredForDeletion(sql: Db, { at, limit }: Limits): Promise<Usage> {
  const first = sql`order by expires_at limit ${limit} for update skip locked`;
  return mark(sql, at, sql`expires_at <= ${at} ${first}`);
}

/**
 * Lets what is not stored of a discarded generation never be recorded. Returns its tokens: copies that ended before they
 * were recorded may have left objects under them. A copy that is being recorded at this moment is waited for: then it is
 * stored, or cannot be recorded.
 */
export async function discardUnstored(
  sql: Db,
  { accountId, generationId, at }: OutputsOf & { at: Date },
): Promise<string[]> {
  const rows = await sql<{ token: string }[]>`
    update delivery.assets set discarded_at = coalesce(discarded_at, ${at})
    where account_id = ${accountId} and owner_id = ${generationId} and stored_at is null
    returning token`;
  return rows.map(({ token }) => token);
}

export type AssetToDelete = { token: string; key: string; thumbnailKey: string | null };

/** Claims marked outputs that are due, for this caller alone until `leaseUntil`. */
export async function claimAssetsToDelete(
  sql: Db,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<AssetToDelete[]> {
  return sql<AssetToDelete[]>`
    with due as (
      select token from delivery.assets where delete_at <= ${now} and deleted_at is null
      order by delete_at limit ${limit} for update skip locked
    )
    update delivery.assets set delete_at = ${leaseUntil} where token in (select token from due)
    returning token, key, thumbnail_key`;
}

export async function recordDeletionIfMarked(sql: Db, token: string, at: Date): Promise<void> {
  await sql`
    update delivery.assets set deleted_at = ${at}
    where token = ${token} and delete_at is not null and deleted_at is null`;
}

/** From the commit of this on no output of the generation is recorded as stored. */
export async function insertDiscardedOutput(
  sql: Db,
  { accountId, generationId, at }: OutputsOf & { at: Date },
): Promise<void> {
  await sql`
    insert into delivery.discarded_outputs (account_id, generation_id, discarded_at)
    values (${accountId}, ${generationId}, ${at})
    on conflict do nothing`;
}

/** Forgets up to `limit` generations each that were deleted or discarded before `before`. Whether there may be more. */
export async function deleteEndedGenerations(
  sql: Db,
  before: Date,
  limit: number,
): Promise<boolean> {
  const deleted = await sql`
    delete from delivery.deleted_generations where ctid in (
      select ctid from delivery.deleted_generations where deleted_at < ${before} limit ${limit})`;
  const discarded = await sql`
    delete from delivery.discarded_outputs where ctid in (
      select ctid from delivery.discarded_outputs where discarded_at < ${before} limit ${limit})`;
  return Math.max(deleted.count, discarded.count) === limit;
}
