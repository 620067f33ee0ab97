/** The secrets that webhooks are signed with. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres.ts";

export type SecretOwner = { accountId: string; mode: ModeName };

/** Keeps `secret` as the first of this account and mode, where it has none yet. */
export async function insertFirstSecret(
  sql: Db,
  owner: SecretOwner,
  secret: string,
  at: Date,
): Promise<void> {
  await sql`
    insert into delivery.webhook_secrets (account_id, mode, number, secret, created_at)
    values (${owner.accountId}, ${owner.mode}, 1, ${secret}, ${at})
    on conflict (account_id, mode, number) do nothing`;
}

/** The secrets that are valid at `at`, the newest first. */
export async function listValidSecrets(sql: Db, owner: SecretOwner, at: Date): Promise<string[]> {
  const rows = await sql<{ secret: string }[]>`
    select secret from delivery.webhook_secrets
    where account_id = ${owner.accountId} and mode = ${owner.mode}
      and (expires_at is null or expires_at > ${at})
    order by number desc`;
  return rows.map((row) => row.secret);
}
