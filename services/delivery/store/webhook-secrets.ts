/** Secrets that sign webhooks, and their rotation. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { Owner } from "../domain/file.ts";

export type StoredSecret = {
  number: number;
  /** The master key that it is derived from. */
  keyId: string;
  /** Of a secret that release 1.0.0 made: it is random, and encrypted with that key. */
  sealed: Buffer | null;
  createdAt: Date;
  /** The newest never expires. */
  expiresAt: Date | null;
  /** A user's id, or "operator"; null for a first secret, which the service makes. */
  createdBy: string | null;
};

/** Inserts a secret; does nothing if its number is taken, so that of concurrent rotations one does it. */
export async function insertSecret(
  sql: Db,
  { accountId, mode, number }: Owner & { number: number },
  keyId: string,
  at: Date,
  createdBy?: string,
): Promise<void> {
  await sql`
    insert into delivery.webhook_secrets (account_id, mode, number, key_id, created_at, created_by)
    values (${accountId}, ${mode}, ${number}, ${keyId}, ${at}, ${createdBy ?? null})
    on conflict (account_id, mode, number) do nothing`;
}

/** The secrets of owners that are valid at `at`; each owner's come newest first. */
export function listValidSecrets(
  sql: Db,
  owners: readonly Owner[],
  at: Date,
): Promise<(StoredSecret & Owner)[]> {
  return sql<(StoredSecret & Owner)[]>`
    select s.account_id, s.mode, s.number, s.key_id, s.sealed, s.created_at, s.expires_at, s.created_by
    from unnest(${owners.map(({ accountId }) => accountId)}::text[], ${owners.map(({ mode }) => mode)}::text[])
      as owner (account_id, mode)
    join delivery.webhook_secrets s on s.account_id = owner.account_id and s.mode = owner.mode
    where s.expires_at is null or s.expires_at > ${at}
    order by s.number desc`;
}

/** How many secrets that are valid at `at` need each key other than `keyId`, and how many of these are newest ones. */
export function countSecretsNotUnder(
  sql: Db,
  keyId: string,
  at: Date,
): Promise<{ keyId: string; secrets: number; newest: number }[]> {
  return sql`
    select key_id, count(*)::integer as secrets, count(*) filter (where expires_at is null)::integer as newest
    from delivery.webhook_secrets
    where (key_id < ${keyId} or key_id > ${keyId}) and (expires_at is null or expires_at > ${at})
    group by key_id
    order by key_id`;
}

/** Sets the secrets before `number` to expire at `until`, and those before `oldest` at `at`. An earlier expiry stays. */
export async function expireOlderSecrets(
  sql: Db,
  { accountId, mode, number }: Owner & { number: number },
  { oldest, at, until }: { oldest: number; at: Date; until: Date },
): Promise<void> {
  await sql`
    update delivery.webhook_secrets
    set expires_at = least(expires_at, case when number < ${oldest} then ${at} else ${until} end::timestamptz)
    where account_id = ${accountId} and mode = ${mode} and number < ${number}
      and (expires_at is null or expires_at > ${at})`;
}
