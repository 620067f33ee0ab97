/** How many webhooks wait and for how long; bounded reads of indexes, for scrapes. */
import type { Db } from "#runtime/postgres/connect.ts";

export type WebhookFigures = {
  /** Due, and waiting for a slot of their receiver. */
  ready: number;
  /** Deliveries in progress, or waiting for the time of their next attempt. */
  planned: number;
  /** Since when the delivery that waits longest is due; undefined when none is. */
  oldest: Date | undefined;
};

/** More are counted as this many: what reads them must not grow with a backlog. */
const MAX_COUNTED = 5_000;
/** Receivers whose oldest delivery is looked at. */
const MAX_RECEIVERS = 1_000;

/** Index steps for each receiver, and an index scan of at most twice MAX_COUNTED entries. */
export async function readWebhookFigures(sql: Db, at: Date): Promise<WebhookFigures> {
  const isFree = sql`(lease_until is null or lease_until <= ${at})`;
  const [row] = await sql<{ ready: number; planned: number; oldest: Date | null }[]>`
    with recursive receiver as (
      (select account_id, hashtextextended(host, 0) as receiver, 1 as ordinal from delivery.webhook_deliveries
        where status = 'pending' order by 1, 2 limit 1)
      union all
      select next.account_id, next.receiver, r.ordinal + 1
      from receiver r cross join lateral (
        select account_id, hashtextextended(host, 0) as receiver from delivery.webhook_deliveries
        where status = 'pending' and (account_id, hashtextextended(host, 0)) > (r.account_id, r.receiver)
        order by 1, 2 limit 1) next
      where r.ordinal < ${MAX_RECEIVERS}
    ), pending as (
      select next_attempt_at <= ${at} and ${isFree} as is_ready from delivery.webhook_deliveries
      where status = 'pending' limit ${2 * MAX_COUNTED}
    )
    select
      least(${MAX_COUNTED}, (select count(*) from pending where is_ready))::int as ready,
      least(${MAX_COUNTED}, (select count(*) from pending where not is_ready))::int as planned,
      (select min(first.next_attempt_at) from receiver r cross join lateral (
        select next_attempt_at from delivery.webhook_deliveries
        where status = 'pending' and account_id = r.account_id and hashtextextended(host, 0) = r.receiver
          and next_attempt_at <= ${at} and ${isFree}
        order by next_attempt_at limit 1) first) as oldest`;
  return { ready: row?.ready ?? 0, planned: row?.planned ?? 0, oldest: row?.oldest ?? undefined };
}
