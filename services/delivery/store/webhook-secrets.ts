/** The secrets that webhooks are signed with. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";

export type SecretOwner = { accountId: string; mode: ModeName };

/** A secret as it is kept: encrypted, or plain where it has not been encrypted yet. */
export type StoredSecret = {
  number: number;
  secret: string | null;
  key_id: string | null;
  sealed: Buffer | null;
  created_at: Date;
  /** The newest never expires. */
  expires_at: Date | null;
};

export type SecretNumber = SecretOwner & { number: number };

type SealedSecret = { keyId: string; sealed: Buffer };

/** Keeps a secret under its number, unless that number is taken. */
export async function insertSecret(
  sql: Db,
  { accountId, mode, number }: SecretNumber,
  { keyId, sealed }: SealedSecret,
  at: Date,
): Promise<void> {
  await sql`
    insert into delivery.webhook_secrets (account_id, mode, number, key_id, sealed, created_at)
    values (${accountId}, ${mode}, ${number}, ${keyId}, ${sealed}, ${at})
    on conflict (account_id, mode, number) do nothing`;
}

/** The secrets that are valid at `at`, the newest first. */
export function listValidSecrets(sql: Db, owner: SecretOwner, at: Date): Promise<StoredSecret[]> {
  return sql<StoredSecret[]>`
    select number, secret, key_id, sealed, created_at, expires_at from delivery.webhook_secrets
    where account_id = ${owner.accountId} and mode = ${owner.mode}
      and (expires_at is null or expires_at > ${at})
    order by number desc`;
}

/** The secrets of several owners that are valid at `at`, the newest of each first. */
export function listValidSecretsOf(
  sql: Db,
  owners: readonly SecretOwner[],
  at: Date,
): Promise<OwnedSecret[]> {
  return sql<OwnedSecret[]>`
    select s.account_id, s.mode, s.number, s.secret, s.key_id, s.sealed, s.created_at, s.expires_at
    from unnest(${owners.map(({ accountId }) => accountId)}::text[], ${owners.map(({ mode }) => mode)}::text[])
      as owner (account_id, mode)
    join delivery.webhook_secrets s on s.account_id = owner.account_id and s.mode = owner.mode
    where s.expires_at is null or s.expires_at > ${at}
    order by s.number desc`;
}

export type OwnedSecret = StoredSecret & { account_id: string; mode: ModeName };

/** Secrets that are plain, or encrypted with another key than `keyId`. */
export function listSecretsNotUnder(sql: Db, keyId: string, limit: number): Promise<OwnedSecret[]> {
  return sql<OwnedSecret[]>`
    select account_id, mode, number, secret, key_id, sealed, created_at, expires_at
    from delivery.webhook_secrets
    where key_id is null or key_id < ${keyId} or key_id > ${keyId}
    limit ${limit}`;
}

/** Keeps the same secret encrypted with another key; does nothing where somebody else did so before. */
export async function replaceStoredSecret(
  sql: Db,
  row: OwnedSecret,
  { keyId, sealed }: SealedSecret,
): Promise<void> {
  await sql`
    update delivery.webhook_secrets
    set secret = null, key_id = ${keyId}, sealed = ${sealed}
    where account_id = ${row.account_id} and mode = ${row.mode} and number = ${row.number}
      and key_id is not distinct from ${row.key_id}`;
}

/** Until the transaction ends, nobody else rotates the secrets of this account and mode. */
export async function lockSecrets(sql: Db, owner: SecretOwner): Promise<void> {
  await sql`
    select number from delivery.webhook_secrets
    where account_id = ${owner.accountId} and mode = ${owner.mode} and number = 1
    for update`;
}

/** Ends the secrets before `number` at `until`, and those before `oldest` at once; never later than they end now. */
export async function expireOlderSecrets(
  sql: Db,
  owner: SecretOwner,
  end: { number: number; oldest: number; at: Date; until: Date },
): Promise<void> {
  await sql`
    update delivery.webhook_secrets
    set expires_at = case when number < ${end.oldest} then ${end.at}::timestamptz
      else coalesce(expires_at, ${end.until}::timestamptz) end
    where account_id = ${owner.accountId} and mode = ${owner.mode} and number < ${end.number}
      and (expires_at is null or (number < ${end.oldest} and expires_at > ${end.at}))`;
}
