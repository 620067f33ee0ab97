/** API keys, found by their hash. */
import type { ModeName } from "#vocabulary/names.ts";
import type { KeyPermissions } from "../domain/key-permissions.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { PERMISSION_COLUMNS, type AccountPermissions } from "./accounts.ts";

export type NewKey = {
  accountId: string;
  id: string;
  mode: ModeName;
  name: string;
  /** SHA-256 of the key, in hex. */
  hash: string;
  prefix: string;
  lastFour: string;
  at: Date;
  expiresAt: Date | undefined;
  permissions: KeyPermissions;
  /** A user's id, or "operator". */
  createdBy: string;
};

/** Undefined when the account does not exist, or the key is live and production is not granted. */
export async function insertKeyIfAllowed(
  sql: Db,
  key: NewKey,
): Promise<{ id: string } | undefined> {
  const [row] = await sql<{ id: string }[]>`
    insert into gateway.api_keys
      (account_id, id, mode, name, hash, prefix, last_four, created_at, expires_at, created_by, access, kinds, models)
    select account_id, ${key.id}, ${key.mode}, ${key.name}, decode(${key.hash}, 'hex'),
      ${key.prefix}, ${key.lastFour}, ${key.at}, ${key.expiresAt ?? null}, ${key.createdBy},
      ${key.permissions.access}, ${key.permissions.kinds as string[] | null}, ${key.permissions.models as string[] | null}
    from gateway.accounts
    where account_id = ${key.accountId} and (production_granted or ${key.mode} = 'test')
    returning id`;
  return row;
}

/** A key with its account's permissions and limits; a limit of 0 means no limit. */
export type KnownKeyRow = AccountPermissions &
  KeyPermissions & {
    hash: string;
    accountId: string;
    id: string;
    mode: ModeName;
    expiresAt: Date | null;
    revokedAt: Date | null;
  };

/** The existing keys among these hashes (hex), in any order. */
export function findKeysByHash(sql: Db, hashes: readonly string[]): Promise<KnownKeyRow[]> {
  const permissions = PERMISSION_COLUMNS.map((column) => `a.${column}`);
  return sql<KnownKeyRow[]>`
    select encode(k.hash, 'hex') as hash, k.account_id, k.id, k.mode, k.expires_at, k.revoked_at,
      k.access, k.kinds, k.models, ${sql(permissions)}
    from gateway.api_keys k
    join gateway.accounts a using (account_id)
    where k.hash in (select decode(hex, 'hex') from unnest(${[...hashes]}::text[]) as hex)`;
}
