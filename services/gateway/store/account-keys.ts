/** The API keys of one account, as its users see them. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";

export type AccountKeyRow = {
  id: string;
  mode: ModeName;
  name: string;
  prefix: string;
  last_four: string;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
};

const columns = (sql: Db) =>
  sql`id, mode, name, prefix, last_four, created_at, last_used_at, expires_at, revoked_at`;

/** Newest first. */
export function listAccountKeys(
  sql: Db,
  accountId: string,
  limit: number,
): Promise<AccountKeyRow[]> {
  return sql<AccountKeyRow[]>`
    select ${columns(sql)} from gateway.api_keys
    where account_id = ${accountId}
    order by created_at desc, id desc
    limit ${limit}`;
}

/** How many keys of the account are not revoked, counted up to `most`. */
export async function countKeys(sql: Db, accountId: string, most: number): Promise<number> {
  const rows = await sql`
    select 1 as one from gateway.api_keys
    where account_id = ${accountId} and revoked_at is null
    limit ${most}`;
  return rows.length;
}

export async function renameAccountKey(
  sql: Db,
  accountId: string,
  id: string,
  name: string,
): Promise<AccountKeyRow | undefined> {
  const [row] = await sql<AccountKeyRow[]>`
    update gateway.api_keys set name = ${name}
    where account_id = ${accountId} and id = ${id}
    returning ${columns(sql)}`;
  return row;
}

/** One that is revoked already stays as it is. */
export async function revokeAccountKey(
  sql: Db,
  accountId: string,
  id: string,
  at: Date,
): Promise<AccountKeyRow | undefined> {
  const [row] = await sql<AccountKeyRow[]>`
    update gateway.api_keys set revoked_at = coalesce(revoked_at, ${at})
    where account_id = ${accountId} and id = ${id}
    returning ${columns(sql)}`;
  return row;
}

export type KeyUse = { account_id: string; id: string; used_at_ms: number };

/** Notes when keys were used, of which there may be many; an earlier time changes nothing. */
export async function noteKeyUses(sql: Db, uses: readonly KeyUse[]): Promise<void> {
  await sql`
    update gateway.api_keys k set last_used_at = u.used_at
    from (
      select account_id, id, to_timestamp(used_at_ms / 1000) as used_at
      from jsonb_to_recordset(${sql.json([...uses])})
        as u (account_id text, id text, used_at_ms double precision)
    ) u
    where k.account_id = u.account_id and k.id = u.id
      and (k.last_used_at is null or k.last_used_at < u.used_at)`;
}
