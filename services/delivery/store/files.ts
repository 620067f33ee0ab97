/** Rows of delivery.files and delivery.file_uses: pictures that clients sent, and the generations that need them. */
import { addMs } from "#runtime/clock.ts";
import { isId } from "#runtime/id.ts";
import { first, type Db, type Sql, type Transaction } from "#runtime/postgres/connect.ts";
import { UNUSED_FILE_MS, type FileRow, type Owner, type StoredFile } from "../domain/file.ts";

export type FileId = Owner & { id: string };

/** Undefined if the account has no such file in this mode, and for a text that is no id. */
export async function findFile(
  sql: Db,
  { accountId, mode, id }: FileId,
): Promise<FileRow | undefined> {
  if (!isId("file", id)) return undefined;
  return first(sql<FileRow[]>`
    ${files(sql)}
    where f.account_id = ${accountId} and f.id = ${id} and a.mode = ${mode}`);
}

/** Files that are stored and not deleted, newest first, behind the last one of the previous page. */
export async function listFiles(
  sql: Db,
  { accountId, mode }: Owner,
  { after, limit }: { after: FileRow | undefined; limit: number },
): Promise<StoredFile[]> {
  return sql<StoredFile[]>`
    ${files(sql)}
    where a.account_id = ${accountId} and a.mode = ${mode} and a.owner_kind = 'file' and a.delete_at is null
      and a.stored_at is not null
      ${after === undefined ? sql`` : sql`and (a.reserved_at, a.owner_id) < (${after.createdAt}, ${after.id})`}
    order by a.reserved_at desc, a.owner_id desc
    limit ${limit}`;
}

function files(sql: Db) {
  return sql`
    select f.id, f.sha256, a.reserved_at as created_at, a.token, a.key, a.content_type, a.bytes, a.width, a.height,
      a.expires_at, a.delete_at is not null as is_deleted
    from delivery.files f
    join delivery.assets a on a.account_id = f.account_id and a.owner_id = f.id and a.position = 0`;
}

/** Lets one transaction at a time add files to the account and mode. */
export async function lockNewFiles(tx: Transaction, { accountId, mode }: Owner): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`files ${accountId} ${mode}`}, 0))`;
}

/** How many files that are kept at `at` no generation uses; counts up to `limit` and reads no others. */
export async function countUnusedFiles(
  sql: Db,
  { accountId, mode }: Owner,
  { at, limit }: { at: Date; limit: number },
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from delivery.assets
      where account_id = ${accountId} and mode = ${mode} and owner_kind = 'file' and not is_used
        and expires_at > ${at} and delete_at is null
      limit ${limit}
    ) unused`;
  return row?.count ?? 0;
}

/** The token is for the key of its object. */
export async function insertFile(
  sql: Db,
  { accountId, mode, id }: FileId,
  { sha256, token, at }: { sha256: string; token: string; at: Date },
): Promise<void> {
  await sql`
    with file as (
      insert into delivery.files (account_id, id, sha256, created_at)
      values (${accountId}, ${id}, ${sha256}, ${at})
    )
    insert into delivery.assets (account_id, owner_id, owner_kind, position, mode, token, reserved_at, expires_at)
    values (${accountId}, ${id}, 'file', 0, ${mode}, ${token}, ${at}, ${addMs(at, UNUSED_FILE_MS)})`;
}

/** Lets the time of a file that is not stored yet begin at `at`. */
export async function renewFileIfUnstored(
  tx: Transaction,
  { accountId, id }: Omit<FileId, "mode">,
  at: Date,
): Promise<void> {
  await tx`
    update delivery.assets
    set reserved_at = ${at}, expires_at = ${addMs(at, UNUSED_FILE_MS)}
    where account_id = ${accountId} and owner_id = ${id} and position = 0 and stored_at is null`;
}

type Use = { generationId: string; attempt: number; keepMs: number | null };

/** Keeps files for a generation, `keepMs` long or for ever. Returns their ids, without those deleted or not stored. */
export async function useFilesIfKept(
  tx: Transaction,
  { accountId, fileIds }: { accountId: string; fileIds: string[] },
  { generationId, attempt, keepMs }: Use,
): Promise<Set<string>> {
  if (fileIds.length === 0) return new Set();
  const used = await tx<{ fileId: string }[]>`
    with kept as materialized ( -- Locked in one order, so that no two calls wait for each other.
      select owner_id from delivery.assets
      where account_id = ${accountId} and owner_id = any(${fileIds}) and position = 0
        and stored_at is not null and delete_at is null
      order by owner_id for update
    ), marked as (
      update delivery.assets a
      set is_used = true, expires_at = reserved_at + ${keepMs === null ? null : `${keepMs} ms`}::interval
      from kept where a.account_id = ${accountId} and a.owner_id = kept.owner_id and a.position = 0
    )
    insert into delivery.file_uses as u (account_id, generation_id, file_id, attempt)
    select ${accountId}, ${generationId}, owner_id, ${attempt} from kept
    on conflict (account_id, generation_id, file_id) do update set attempt = greatest(u.attempt, excluded.attempt)
    returning file_id`;
  return new Set(used.map(({ fileId }) => fileId));
}

/** Locks a file against uses, releases and deletions by others; whether a generation uses it. */
export async function lockFile(tx: Transaction, { accountId, id }: Omit<FileId, "mode">) {
  const [row] = await tx<{ isUsed: boolean }[]>`
    select is_used from delivery.assets where account_id = ${accountId} and owner_id = ${id} for update`;
  return row?.isUsed ?? false;
}

/**
 * Ends the uses of a generation up to `attempt` (all of them without it). Files that nothing uses any more expire as if
 * they had never been used, or are marked for deletion at `deleteAt`.
 */
export async function releaseFiles(
  sql: Sql,
  uses: { accountId: string; generationId: string; attempt?: number },
  deleteAt: Date | null,
): Promise<void> {
  const { accountId, generationId, attempt } = uses;
  const upTo = attempt === undefined ? sql`` : sql`and u.attempt <= ${attempt}`;
  await sql.begin(async (tx) => {
    // When several generations release a file at the same time, the last one sees that it is the last. All files are
    // locked in one order before the first is marked, because marking locks the account's counter.
    const used = await tx<{ fileId: string }[]>`
      select u.file_id from delivery.file_uses u
      join delivery.assets a on a.account_id = u.account_id and a.owner_id = u.file_id
      where u.account_id = ${accountId} and u.generation_id = ${generationId} ${upTo}
      order by u.file_id for update of a`;
    if (used.length === 0) return;
    const ids = used.map(({ fileId }) => fileId);
    await tx`
      delete from delivery.file_uses u
      where u.account_id = ${accountId} and u.generation_id = ${generationId} and u.file_id = any(${ids}) ${upTo}`;
    await tx`
      update delivery.assets a
      set is_used = false, expires_at = reserved_at + ${`${UNUSED_FILE_MS} ms`}::interval, delete_at = ${deleteAt}
      where account_id = ${accountId} and owner_id = any(${ids}) and delete_at is null
        and not exists (select from delivery.file_uses u where u.account_id = a.account_id and u.file_id = a.owner_id)`;
  });
}
