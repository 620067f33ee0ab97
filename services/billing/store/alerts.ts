/** When and where accounts are told about their Tokens, and the alerts that are to be delivered. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { AlertRow, AlertSettingsRow } from "../domain/alert.ts";

/** Locks the balance. */
export async function setAlerts(
  sql: Db,
  accountId: string,
  { lowBelow, limitPercents, webhookUrl, mail }: AlertSettingsRow,
  at: Date,
): Promise<void> {
  await sql`
    select billing.set_alerts(${accountId}, ${lowBelow?.toString() ?? null}::bigint, ${limitPercents}::integer[],
      ${webhookUrl}, ${mail}, ${at})`;
}

/** Undefined where the account never set any. */
export async function findAlertSettings(
  sql: Db,
  accountId: string,
): Promise<AlertSettingsRow | undefined> {
  const [row] = await sql<AlertSettingsRow[]>`
    select b.low_below, s.limit_percents, s.webhook_url, s.mail
    from billing.alert_settings s
    join billing.balances b on b.account_id = s.account_id and b.mode = 'live'
    where s.account_id = ${accountId}`;
  return row;
}

/** At most `limit` due alerts, the first due first, which are due again at `dueAgainAt` unless they are deleted. */
export function claimAlerts(
  sql: Db,
  { limit, at, dueAgainAt }: { limit: number; at: Date; dueAgainAt: Date },
): Promise<AlertRow[]> {
  return sql<AlertRow[]>`
    with due as (
      select account_id, id from billing.alerts
      where due_at <= ${at}
      order by due_at
      limit ${limit}
      for update skip locked
    )
    update billing.alerts a set due_at = ${dueAgainAt}
    from due join billing.alert_settings s on s.account_id = due.account_id
    where a.account_id = due.account_id and a.id = due.id
    returning a.account_id, a.id, a.type, a.data, a.created_at, s.webhook_url, s.mail`;
}

export async function deleteAlert(sql: Db, accountId: string, id: string): Promise<void> {
  await sql`delete from billing.alerts where account_id = ${accountId} and id = ${id}`;
}
