/** What came of attempts: written with what follows from it, for the delivery and for its URL. */
import type { Db } from "#runtime/postgres.ts";
import type { ClaimedDelivery } from "./webhook-claims.ts";

/** What follows from an attempt: another one at a time, or an end. */
export type Verdict =
  | { status: "pending"; nextAttemptAt: Date }
  | { status: "delivered" | "exhausted" | "disabled" };

export type Attempt = {
  at: Date;
  durationMs: number;
  statusCode?: number | undefined;
  error?: string | undefined;
  responseBody?: string | undefined;
};

export type EndedAttempt = {
  claimed: Pick<ClaimedDelivery, "account_id" | "id" | "fence">;
  attempt: Attempt;
  verdict: Verdict;
};

/** What became of a record: refused where the lease was lost, or written, and with it the URL perhaps disabled. */
export type Recorded = { isOurs: boolean; disabledUrl: boolean };

/**
 * Writes attempts, what follows from each, and what their URLs have come to, in one statement. A URL fails since its
 * first failure that no success followed; it is disabled where a delivery is exhausted `disableAfterMs` later, or by
 * a verdict. An attempt that the account asked for counts as a success only.
 */
export async function recordAttemptsIfLeased(
  sql: Db,
  ended: readonly EndedAttempt[],
  disableAfterMs: number,
): Promise<Recorded[]> {
  const column = <T>(of: (one: EndedAttempt) => T): T[] => ended.map(of);
  const rows = await sql<{ place: number; disabled_url: boolean }[]>`
    with item as materialized (
      select place, account_id, id, fence, at, duration_ms, status_code, error, response_body, status,
        next_attempt_at
      from unnest(${column(({ claimed }) => claimed.account_id)}::text[],
        ${column(({ claimed }) => claimed.id)}::text[],
        ${column(({ claimed }) => claimed.fence.toString())}::bigint[],
        ${column(({ attempt }) => attempt.at.toISOString())}::timestamptz[],
        ${column(({ attempt }) => attempt.durationMs)}::integer[],
        ${column(({ attempt }) => attempt.statusCode ?? null)}::integer[],
        ${column(({ attempt }) => attempt.error ?? null)}::text[],
        ${column(({ attempt }) => attempt.responseBody ?? null)}::text[],
        ${column(({ verdict }) => verdict.status)}::text[],
        ${column(({ verdict }) => (verdict.status === "pending" ? verdict.nextAttemptAt.toISOString() : null))}::timestamptz[])
      with ordinality as one (account_id, id, fence, at, duration_ms, status_code, error, response_body, status,
        next_attempt_at, place)
    ), gone as (
      delete from delivery.webhook_queue q
      using item
      where item.status <> 'pending'
        and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence
      returning item.place, q.account_id, q.delivery_id, q.mode, q.url_sha256, q.created_at, q.fence,
        q.attempt_count + 1 as attempt_count, q.redelivered
    ), waiting as (
      update delivery.webhook_queue q
      set next_attempt_at = item.next_attempt_at, attempt_count = q.attempt_count + 1, ready = false, lane = null,
        leased_at = null, lease_until = null
      from item
      where item.status = 'pending'
        and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence
      returning item.place, q.account_id, q.delivery_id, q.mode, q.url_sha256, q.created_at, q.fence,
        q.attempt_count, q.redelivered
    ), changed as (
      select c.place, c.account_id, c.delivery_id, c.mode, c.url_sha256, c.created_at, c.fence, c.attempt_count,
        c.redelivered, item.status, item.at
      from (
        select place, account_id, delivery_id, mode, url_sha256, created_at, fence, attempt_count, redelivered
        from gone
        union all
        select place, account_id, delivery_id, mode, url_sha256, created_at, fence, attempt_count, redelivered
        from waiting
      ) c
      join item on item.place = c.place
    ), ends as (
      insert into delivery.webhook_ends (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
        attempt_count, redelivered)
      select account_id, delivery_id, mode, url_sha256, created_at, status, fence, attempt_count, redelivered
      from changed where status <> 'pending'
    ), written as (
      insert into delivery.webhook_attempts (account_id, delivery_id, number, at, status_code, error, duration_ms,
        response_body)
      select item.account_id, item.id, item.fence, item.at, item.status_code, item.error, item.duration_ms,
        item.response_body
      from changed
      join item on item.place = changed.place
      -- The lease was lost meanwhile, so the attempt was written as unknown.
      on conflict (account_id, delivery_id, number) do update
      set at = excluded.at, status_code = excluded.status_code, error = excluded.error,
        duration_ms = excluded.duration_ms, response_body = excluded.response_body
      where webhook_attempts.duration_ms is null
    ), healed as (
      delete from delivery.failing_urls f
      using changed
      where changed.status = 'delivered' and f.account_id = changed.account_id and f.mode = changed.mode
        and f.url_sha256 = changed.url_sha256
    ), failing as (
      insert into delivery.failing_urls (account_id, mode, url_sha256, failing_since)
      select account_id, mode, url_sha256, min(at)
      from changed
      where status in ('pending', 'exhausted') and not redelivered
      group by account_id, mode, url_sha256
      on conflict (account_id, mode, url_sha256) do nothing
    ), stopped as (
      insert into delivery.disabled_urls (account_id, mode, url_sha256, url, reason, disabled_at)
      select distinct on (c.account_id, c.mode, c.url_sha256) c.account_id, c.mode, c.url_sha256, d.url,
        case c.status when 'disabled' then 'gone' else 'failing' end, c.at
      from changed c
      join delivery.webhook_deliveries d on d.account_id = c.account_id and d.id = c.delivery_id
      where c.status = 'disabled' or c.status = 'exhausted' and not c.redelivered and exists (
        select from delivery.failing_urls f
        where f.account_id = c.account_id and f.mode = c.mode and f.url_sha256 = c.url_sha256
          and f.failing_since <= c.at - ${disableAfterMs}::double precision * interval '1 millisecond'
      )
      on conflict (account_id, mode, url_sha256) do nothing
      returning account_id, mode, url_sha256
    )
    select changed.place::integer as place, stopped.url_sha256 is not null as disabled_url
    from changed
    left join stopped on stopped.account_id = changed.account_id and stopped.mode = changed.mode
      and stopped.url_sha256 = changed.url_sha256`;
  const found = new Map(rows.map((row) => [row.place, row.disabled_url]));
  return ended.map((_, index) => ({
    isOurs: found.has(index + 1),
    disabledUrl: found.get(index + 1) ?? false,
  }));
}
