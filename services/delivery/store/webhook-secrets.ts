/** The secrets that webhooks are signed with. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres.ts";

export type SecretOwner = { accountId: string; mode: ModeName };

export type SecretRow = {
  number: number;
  secret: string;
  created_at: Date;
  /** The newest never expires. */
  expires_at: Date | null;
};

export type NewSecret = SecretOwner & { number: number; secret: string; at: Date };

/** Keeps a secret under its number, unless that number is taken. */
export async function insertSecret(sql: Db, it: NewSecret): Promise<void> {
  await sql`
    insert into delivery.webhook_secrets (account_id, mode, number, secret, created_at)
    values (${it.accountId}, ${it.mode}, ${it.number}, ${it.secret}, ${it.at})
    on conflict (account_id, mode, number) do nothing`;
}

/** The secrets that are valid at `at`, the newest first. */
export async function listValidSecrets(
  sql: Db,
  owner: SecretOwner,
  at: Date,
): Promise<SecretRow[]> {
  const rows = await sql<SecretRow[]>`
    select number, secret, created_at, expires_at from delivery.webhook_secrets
    where account_id = ${owner.accountId} and mode = ${owner.mode}
      and (expires_at is null or expires_at > ${at})
    order by number desc`;
  return [...rows];
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
