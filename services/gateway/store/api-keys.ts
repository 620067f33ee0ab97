/** API keys: found by their hash, and listed and changed as the users of an account see them, without their hashes. */
import type { ModeName } from "#vocabulary/names.ts";
import type { KeyPermissions } from "../domain/key-permissions.ts";
import { first, type Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import { permissionColumns, type AccountPermissions } from "./accounts.ts";
import { creatorName, type CreatorColumns } from "./memberships.ts";

export type NewKey = Omit<AccountKeyRow, "lastUsedAt" | "revokedAt" | "creatorName"> & {
  accountId: string;
  /** SHA-256 of the key. */
  hash: Buffer;
};

export async function insertKey(sql: Db, key: NewKey): Promise<AccountKeyRow> {
  const [row] = await sql<[AccountKeyRow]>`
    insert into gateway.api_keys ${sql(key)} returning ${columns(sql)}`;
  return row;
}

/** A key with its account's permissions and limits; a limit of 0 means no limit. */
export type KnownKeyRow = AccountPermissions &
  KeyPermissions &
  Pick<AccountKeyRow, "id" | "mode" | "expiresAt" | "revokedAt"> &
  Record<"accountId" | "hash", string>;

export function findKeysByHash(sql: Db, hashes: readonly string[]): Promise<KnownKeyRow[]> {
  return sql<KnownKeyRow[]>`
    select encode(k.hash, 'hex') as hash, k.account_id, k.id, k.mode, k.expires_at, k.revoked_at,
      k.access, k.kinds, k.models, ${permissionColumns(sql)}
    from gateway.api_keys k
    join gateway.accounts a using (account_id)
    where k.hash in (select decode(hex, 'hex') from unnest(${[...hashes]}::text[]) as hex)`;
}

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

const columns = (sql: Db) => sql`
  id, mode, name, prefix, last_four, created_at, last_used_at, expires_at, revoked_at, access, kinds, models, created_by,
  ${creatorName(sql)}`;

const MAX_LISTED = 1_000;

/** The newest. */
export function listAccountKeys(sql: Db, accountId: string) {
  return sql<AccountKeyRow[]>`
    select ${columns(sql)} from gateway.api_keys
    where account_id = ${accountId}
    order by created_at desc, id desc
    limit ${MAX_LISTED}`;
}

/** The names of these keys of the account, revoked ones too; ids of others have none. */
export async function findKeyNames(sql: Db, accountId: string, ids: readonly string[]) {
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from gateway.api_keys
    where account_id = ${accountId} and id = any(${[...new Set(ids)]})`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function countKeys(sql: Db, accountId: string, max: number): Promise<number> {
  const rows = await sql`
    select 1 as one from gateway.api_keys
    where account_id = ${accountId} and revoked_at is null
    limit ${max}`;
  return rows.length;
}

export function findAccountKey(sql: Db, accountId: string, id: string) {
  return first(sql<AccountKeyRow[]>`
    select ${columns(sql)} from gateway.api_keys
    where account_id = ${accountId} and id = ${id}`);
}

/** Undefined, and nothing changes, when there is no such key or it is revoked. */
export function updateKeyIfActive(
  sql: Db,
  accountId: string,
  id: string,
  changes: Partial<Pick<AccountKeyRow, "name" | "expiresAt" | "revokedAt"> & KeyPermissions>,
): Promise<AccountKeyRow | undefined> {
  return first(sql<AccountKeyRow[]>`
    update gateway.api_keys set ${sql(changes)}
    where account_id = ${accountId} and id = ${id} and revoked_at is null
    returning ${columns(sql)}`);
}

/** Revokes the active keys that the user created, and returns them. */
export function revokeKeysOf(sql: Db, accountId: string, userId: string, at: Date) {
  return sql<AccountKeyRow[]>`
    update gateway.api_keys set revoked_at = ${at}
    where account_id = ${accountId} and created_by = ${userId} and revoked_at is null
    returning ${columns(sql)}`;
}

export type KeyUse = { accountId: string; id: string; usedAt: Date };

/** Records when keys were used, all in one statement; a time earlier than the stored one is ignored. */
export async function recordKeyUses(sql: Db, uses: readonly KeyUse[]): Promise<void> {
  await sql`
    update gateway.api_keys k set last_used_at = u.used_at
    from jsonb_to_recordset(${jsonRecords(sql, uses)})
      as u (account_id text, id text, used_at timestamptz)
    where k.account_id = u.account_id and k.id = u.id
      and (k.last_used_at is null or k.last_used_at < u.used_at)`;
}
