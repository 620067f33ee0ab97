/** From the token in an object's key back to its row. */
import type { Db } from "#runtime/postgres/connect.ts";

export type TokenRow = {
  token: string;
  key: string | null;
  thumbnail_key: string | null;
  is_stored: boolean;
  is_deleted: boolean;
};

export async function findByTokens(sql: Db, tokens: readonly string[]): Promise<TokenRow[]> {
  return sql<TokenRow[]>`
    select token, key, thumbnail_key, stored_at is not null as is_stored,
      deleted_at is not null as is_deleted
    from delivery.assets where token = any(${tokens as string[]})`;
}

/**
 * Gives an output that was never stored another token, so that its old objects can be deleted: a copy that is
 * still under way with the old one cannot be recorded any more. False where it is stored by now.
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
