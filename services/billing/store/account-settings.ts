/** An account's alerts, discounts and limits of Tokens. */
import { first, type Db } from "#runtime/postgres/connect.ts";
import type { AlertRow, AlertSettingsRow } from "../domain/alert.ts";
import type { UsedLimit } from "../domain/token-limit.ts";

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
export function findAlertSettings(sql: Db, accountId: string) {
  return first(sql<AlertSettingsRow[]>`
    select b.low_below, s.limit_percents, s.webhook_url, s.mail
    from billing.alert_settings s
    join billing.balances b on b.account_id = s.account_id and b.mode = 'live'
    where s.account_id = ${accountId}`);
}

/** At most `limit` due alerts, the first due first, which are due again at `dueAgainAt` unless they are deleted. */
export function claimAlerts(sql: Db, limit: number, at: Date, dueAgainAt: Date) {
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

/** `model` is empty for all models. */
export type DiscountRow = { model: string; basisPoints: number; startsAt: Date };

export type NewDiscount = DiscountRow & { accountId: string; at: Date };

/** The basis points that are set for that account, model and time, afterwards; null for a time that is past. */
export async function setDiscount(sql: Db, it: NewDiscount): Promise<number | null> {
  const [row] = await sql<{ set: number | null }[]>`
    select billing.set_discount(${it.accountId}, ${it.model}, ${it.basisPoints}, ${it.startsAt}, ${it.at}) as set`;
  return row?.set ?? null;
}

/** Those in force at that time, and with `coming` all that begin later. */
export function listDiscounts(sql: Db, accountId: string, at: Date, coming: boolean) {
  return sql<DiscountRow[]>`
    select distinct on (model, effective_at) model, basis_points, starts_at
    from billing.discounts
    cross join lateral (select greatest(starts_at, ${at}) as effective_at) e
    where account_id = ${accountId} and (starts_at <= ${at} or ${coming})
    order by model, effective_at, starts_at desc`;
}

export type NewLimits = {
  accountId: string;
  /** Empty for the limits of the account, the id of a key, or `EACH_END_USER`. */
  countedFor: string;
  /** Null removes the limit. */
  dayTokens: bigint | null;
  monthTokens: bigint | null;
  at: Date;
};

/** Reads the entries of the period of a limit that is new, then locks the balance. */
export async function setTokenLimits(sql: Db, it: NewLimits): Promise<void> {
  await sql`
    select billing.set_token_limits(${it.accountId}, ${it.countedFor}, ${it.dayTokens?.toString() ?? null}::bigint,
      ${it.monthTokens?.toString() ?? null}::bigint, ${it.at})`;
}

/** The limits with what is used at that time, those of the account first; with `countedFor` only those. */
export function listTokenLimits(sql: Db, accountId: string, at: Date, countedFor?: string) {
  return sql<UsedLimit[]>`
    select l.counted_for, l.period, l.tokens::text as tokens, coalesce(u.tokens, 0)::text as used, p.starts_on::text as starts_on
    from billing.limits l
    cross join lateral (select date_trunc(l.period, ${at}::timestamptz at time zone 'UTC')::date as starts_on) p
    left join billing.limit_usage u on u.account_id = l.account_id and u.counted_for = l.counted_for and u.period = l.period
      and u.starts_on = p.starts_on
    where l.account_id = ${accountId} ${countedFor === undefined ? sql`` : sql`and l.counted_for = ${countedFor}`}
    order by l.counted_for, l.period`;
}

/** Erases settings, alerts and notes: what billing keeps of an account besides numbers. */
export async function eraseAccount(sql: Db, accountId: string): Promise<void> {
  await sql`select billing.erase_account(${accountId})`;
}
