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
  const items = ended.map(({ claimed, attempt, verdict }, place) => ({
    place,
    account_id: claimed.account_id,
    id: claimed.id,
    fence: claimed.fence.toString(),
    at: attempt.at.toISOString(),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode ?? null,
    error: attempt.error ?? null,
    response_body: attempt.responseBody ?? null,
    status: verdict.status,
    next_attempt_at: verdict.status === "pending" ? verdict.nextAttemptAt.toISOString() : null,
  }));
  const rows = await sql<{ place: number; disabled_url: boolean }[]>`
    with item as materialized (
      select place, account_id, id, fence, at, duration_ms, status_code, error, response_body, status,
        next_attempt_at
      from jsonb_to_recordset(${sql.json(items)}::jsonb) as one (place integer, account_id text, id text,
        fence bigint, at timestamptz, duration_ms integer, status_code integer, error text, response_body text,
        status text, next_attempt_at timestamptz)
    ), changed as (
      update delivery.webhook_deliveries d
      set status = item.status, attempt_count = d.attempt_count + 1, next_attempt_at = item.next_attempt_at,
        lease_until = null, lane = null, ready = false
      from item
      where d.account_id = item.account_id and d.id = item.id and d.fence = item.fence and d.status = 'pending'
      returning item.place, item.at, d.account_id, d.id, d.fence, d.mode, d.url, d.status, d.redelivered,
        sha256(convert_to(d.url, 'UTF8')) as url_sha256
    ), written as (
      update delivery.webhook_attempts a
      set at = item.at, status_code = item.status_code, error = item.error, duration_ms = item.duration_ms,
        response_body = item.response_body
      from changed
      join item on item.place = changed.place
      where a.account_id = changed.account_id and a.delivery_id = changed.id and a.number = changed.fence
        and a.duration_ms is null
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
      select distinct on (account_id, mode, url_sha256) account_id, mode, url_sha256, url,
        case status when 'disabled' then 'gone' else 'failing' end, at
      from changed
      where status = 'disabled' or status = 'exhausted' and not redelivered and exists (
        select from delivery.failing_urls f
        where f.account_id = changed.account_id and f.mode = changed.mode and f.url_sha256 = changed.url_sha256
          and f.failing_since <= changed.at - ${disableAfterMs}::double precision * interval '1 millisecond'
      )
      on conflict (account_id, mode, url_sha256) do nothing
      returning account_id, mode, url_sha256
    )
    select changed.place, stopped.url_sha256 is not null as disabled_url
    from changed
    left join stopped on stopped.account_id = changed.account_id and stopped.mode = changed.mode
      and stopped.url_sha256 = changed.url_sha256`;
  const found = new Map(rows.map((row) => [row.place, row.disabled_url]));
  return ended.map((_, place) => ({
    isOurs: found.has(place),
    disabledUrl: found.get(place) ?? false,
  }));
}
