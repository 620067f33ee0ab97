/** Rows of delivery.storage: what accounts keep, which a trigger of delivery.assets counts, and may keep. */
import type { ModeName } from "#vocabulary/names.ts";
import type { Db } from "#runtime/postgres/connect.ts";
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
