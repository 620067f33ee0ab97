/** Who has been mailed which alert about Tokens. */
import type { Db } from "#runtime/postgres/connect.ts";

export type AlertRecipient = { userId: string; email: string };

/** Who is told about the account's Tokens (owners and billing, without disabled users) and not of this alert yet. */
export function listUntold(sql: Db, accountId: string, eventId: string): Promise<AlertRecipient[]> {
  return sql<AlertRecipient[]>`
    select m.user_id, u.email
    from gateway.memberships m join gateway.users u on u.id = m.user_id
    where m.account_id = ${accountId} and m.role in ('owner', 'billing') and u.disabled_at is null
      and not exists (
        select from gateway.alert_mails told
        where told.account_id = m.account_id and told.event_id = ${eventId} and told.user_id = m.user_id)
    order by u.email`;
}

export async function recordAlertMail(
  sql: Db,
  accountId: string,
  eventId: string,
  userId: string,
  at: Date,
): Promise<void> {
  await sql`
    insert into gateway.alert_mails (account_id, event_id, user_id, answered_at)
    values (${accountId}, ${eventId}, ${userId}, ${at})
    on conflict do nothing`;
}
