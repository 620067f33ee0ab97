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

/** One index step for each receiver, and index scans of at most MAX_COUNTED entries. */
export async function readWebhookFigures(sql: Db, at: Date): Promise<WebhookFigures> {
  const [row] = await sql<{ ready: number; planned: number; oldest: Date | null }[]>`
    with recursive receiver as (
      (select account_id, host, next_attempt_at, 1 as ordinal from delivery.webhook_queue
        where ready order by account_id, host, next_attempt_at limit 1)
      union all
      select next.account_id, next.host, next.next_attempt_at, r.ordinal + 1
      from receiver r cross join lateral (
        select q.account_id, q.host, q.next_attempt_at from delivery.webhook_queue q
        where q.ready and (q.account_id, q.host) > (r.account_id, r.host)
        order by q.account_id, q.host, q.next_attempt_at limit 1) next
      where r.ordinal < ${MAX_RECEIVERS}
    )
    select
      (select count(*)::int from (
        select from delivery.webhook_queue where ready limit ${MAX_COUNTED}) one) as ready,
      (select count(*)::int from (
        select from delivery.webhook_queue where not ready limit ${MAX_COUNTED}) one) as planned,
      least(
        (select min(next_attempt_at) from receiver),
        -- Nobody has claimed since this was due, or its lease has ended.
        (select coalesce(lease_until, next_attempt_at) from delivery.webhook_queue
          where not ready and coalesce(lease_until, next_attempt_at) <= ${at}
          order by coalesce(lease_until, next_attempt_at) limit 1)
      ) as oldest`;
  return { ready: row?.ready ?? 0, planned: row?.planned ?? 0, oldest: row?.oldest ?? undefined };
}
