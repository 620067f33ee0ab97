/** Look-up and replacement of outputs by the token in their object keys. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { AssetId } from "./assets.ts";

export type TokenRow = AssetId & {
  token: string;
  key: string | null;
  thumbnailKey: string | null;
  isStored: boolean;
  isDeleted: boolean;
};

/** The rows that hold these tokens; unknown tokens have none. */
export async function findByTokens(sql: Db, tokens: readonly string[]): Promise<TokenRow[]> {
  return sql<TokenRow[]>`
    select account_id, owner_id, position, token, key, thumbnail_key, stored_at is not null as is_stored,
      deleted_at is not null as is_deleted
    from delivery.assets where token = any(${tokens as string[]})`;
}

/**
 * Gives an output that is not stored another token, so that objects under the old one can be deleted: a copy still
 * running with the old token can no longer be recorded. False if the output is stored by now.
 */
export async function replaceTokenIfUnstored(
  sql: Db,
  token: string,
  fresh: string,
): Promise<boolean> {
  const rows = await sql`
    update delivery.assets set token = ${fresh}
    where token = ${token} and stored_at is null
    returning 1`;
  return rows.length > 0;
}
