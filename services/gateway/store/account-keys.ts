/** The API keys of one account, as its users see them: without their hashes. */
import type { ModeName } from "#vocabulary/names.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { KeyPermissions } from "../domain/key-permissions.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import { creatorName, type CreatorColumns } from "./memberships.ts";

export type AccountKeyRow = {
  id: string;
  mode: ModeName;
  name: string;
  prefix: string;
  lastFour: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
} & KeyPermissions &
  CreatorColumns;

const COLUMNS = [
  "id",
  "mode",
  "name",
  "prefix",
  "lastFour",
  "createdAt",
  "lastUsedAt",
  "expiresAt",
  "revokedAt",
  "access",
  "kinds",
  "models",
  "createdBy",
] as const satisfies (keyof AccountKeyRow)[];

/** All columns of a row. */
const columns = (sql: Db) => sql`${sql(COLUMNS)}, ${creatorName(sql)}`;

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

/** The names of these keys of the account, revoked ones too; ids of others have none. */
export async function findKeyNames(
  sql: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from gateway.api_keys
    where account_id = ${accountId} and id = any(${[...new Set(ids)]})`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Whether the account has this key, revoked or not, in live mode. */
export async function isLiveKey(sql: Db, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.api_keys
    where account_id = ${accountId} and id = ${id} and mode = 'live'`;
  return rows.length > 0;
}

/** How many keys of the account are not revoked, counted up to `max`. */
export async function countKeys(sql: Db, accountId: string, max: number): Promise<number> {
  const rows = await sql`
    select 1 as one from gateway.api_keys
    where account_id = ${accountId} and revoked_at is null
    limit ${max}`;
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

/** Undefined, and nothing changes, when there is no such key or it is revoked. */
export async function setKeyPermissionsIfActive(
  sql: Db,
  accountId: string,
  id: string,
  { access, kinds, models }: KeyPermissions,
): Promise<AccountKeyRow | undefined> {
  const [row] = await sql<AccountKeyRow[]>`
    update gateway.api_keys
    set access = ${access}, kinds = ${kinds as string[] | null}, models = ${models as string[] | null}
    where account_id = ${accountId} and id = ${id} and revoked_at is null
    returning ${columns(sql)}`;
  return row;
}

export async function findAccountKey(
  sql: Db,
  accountId: string,
  id: string,
): Promise<AccountKeyRow | undefined> {
  const [row] = await sql<AccountKeyRow[]>`
    select ${columns(sql)} from gateway.api_keys
    where account_id = ${accountId} and id = ${id}`;
  return row;
}

/** Undefined, and nothing changes, when there is no such key or it is revoked already. */
export async function revokeKeyIfActive(
  sql: Db,
  accountId: string,
  id: string,
  at: Date,
): Promise<AccountKeyRow | undefined> {
  const [row] = await sql<AccountKeyRow[]>`
    update gateway.api_keys set revoked_at = ${at}
    where account_id = ${accountId} and id = ${id} and revoked_at is null
    returning ${columns(sql)}`;
  return row;
}

/** Undefined, and nothing changes, when there is no such key or it is revoked. A key that expires before `at` does so still. */
export async function expireKeyIfActive(
  sql: Db,
  accountId: string,
  id: string,
  at: Date,
): Promise<AccountKeyRow | undefined> {
  const [row] = await sql<AccountKeyRow[]>`
    update gateway.api_keys set expires_at = least(expires_at, ${at})
    where account_id = ${accountId} and id = ${id} and revoked_at is null
    returning ${columns(sql)}`;
  return row;
}

/** Revokes the active keys that the user created, and returns them. */
export function revokeKeysOf(
  sql: Db,
  accountId: string,
  userId: string,
  at: Date,
): Promise<AccountKeyRow[]> {
  return sql<AccountKeyRow[]>`
    update gateway.api_keys set revoked_at = ${at}
    where account_id = ${accountId} and created_by = ${userId} and revoked_at is null
    returning ${columns(sql)}`;
}

export type KeyUse = { accountId: string; id: string; usedAtMs: number };

/** Records when keys were used, all in one statement; a time earlier than the stored one is ignored. */
export async function recordKeyUses(sql: Db, uses: readonly KeyUse[]): Promise<void> {
  await sql`
    update gateway.api_keys k set last_used_at = u.used_at
    from (
      select account_id, id, to_timestamp(used_at_ms / 1000) as used_at
      from jsonb_to_recordset(${jsonRecords(sql, uses)})
        as u (account_id text, id text, used_at_ms double precision)
    ) u
    where k.account_id = u.account_id and k.id = u.id
      and (k.last_used_at is null or k.last_used_at < u.used_at)`;
}
