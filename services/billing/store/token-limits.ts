/** Limits of Tokens and what is used of them. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { UsedLimit } from "../domain/token-limit.ts";

export type NewLimits = {
  accountId: string;
  /** Empty for the limits of the account, the id of a key, or `EACH_END_USER`. */
  countedFor: string;
  /** Null removes the limit. */
  dayTokens: bigint | null;
  monthTokens: bigint | null;
  at: Date;
};

/** Locks the balance, and reads the account's entries of the month where a limit is new or has another size. */
export async function setTokenLimits(sql: Db, it: NewLimits): Promise<void> {
  await sql`
    select billing.set_token_limits(${it.accountId}, ${it.countedFor}, ${it.dayTokens?.toString() ?? null}::bigint,
      ${it.monthTokens?.toString() ?? null}::bigint, ${it.at})`;
}

/** The limits with what is used at that time, those of the account first; with `countedFor` only those. */
export function listTokenLimits(
  sql: Db,
  accountId: string,
  at: Date,
  countedFor?: string,
): Promise<UsedLimit[]> {
  return sql<UsedLimit[]>`
    select l.counted_for, l.period, l.tokens::text as tokens, coalesce(u.tokens, 0)::text as used, p.starts_on::text as starts_on
    from billing.limits l
    cross join lateral (select date_trunc(l.period, ${at}::timestamptz at time zone 'UTC')::date as starts_on) p
    left join billing.limit_usage u on u.account_id = l.account_id and u.counted_for = l.counted_for and u.period = l.period
      and u.starts_on = p.starts_on
    where l.account_id = ${accountId} ${countedFor === undefined ? sql`` : sql`and l.counted_for = ${countedFor}`}
    order by l.counted_for, l.period`;
}
