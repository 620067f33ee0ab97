/** Leases of due deliveries, their release, and the records of finished attempts. */
import type { Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import type { Attempt, ClaimedDelivery, Outcome } from "../domain/delivery.ts";

/**
 * Leases due deliveries of at most `receivers` hosts of accounts, about `rows` in all, so that a sender's memory is bounded.
 * The longest due come first. `isStopped`: the claim has ended it, because its URL is disabled.
 */
export async function claimDeliveries(
  sql: Db,
  claim: { now: Date; leaseUntil: Date; receivers: number; rows: number },
) {
  const { now, leaseUntil, receivers, rows } = claim;
  return sql<(ClaimedDelivery & { isStopped: boolean })[]>`
    select account_id, id, mode, event_id, url, host, body, attempts as attempt_count, redelivered, fence, request_id,
      traceparent, resume_at, status <> 'pending' as is_stopped
    from delivery.claim_deliveries(${now}, ${leaseUntil}, ${receivers}, ${rows})`;
}

/** Resolves once the claims that are running now have ended. */
export async function waitForRunningClaims(sql: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'))`;
}

type ClaimKey = Pick<ClaimedDelivery, "accountId" | "id" | "fence">;

/** Ends leases. `sentAt` records an attempt with an unknown outcome; `due` is the next time, by default as before. */
export async function releaseIfLeased(
  sql: Db,
  claims: readonly ClaimKey[],
  { sentAt, due }: { sentAt?: Date; due?: Date } = {},
): Promise<void> {
  await sql`
    with released as (
      update delivery.webhook_deliveries d
      set lease_until = null, next_attempt_at = coalesce(${due ?? null}, d.next_attempt_at)
      from jsonb_to_recordset(${jsonRecords(sql, claims.map(keyOf))}) as one (account_id text, id text, fence bigint)
      where d.account_id = one.account_id and d.id = one.id and d.fence = one.fence and ${isLeased(sql)}
      returning d.account_id, d.id, d.fence
    )
    insert into delivery.webhook_attempts (account_id, delivery_id, number, at)
    select account_id, id, fence, ${sentAt ?? null} from released where ${sentAt !== undefined}`;
}

function keyOf({ accountId, id, fence }: ClaimKey) {
  return { accountId, id, fence };
}

/** Does not imply the condition of webhook_deliveries_leased, so that the rows are found by their key. */
function isLeased(sql: Db) {
  return sql`num_nonnulls(d.lease_until) = 1`;
}

/** Whether the delivery `d` was sent again after its end, and its receiver had accepted it before. */
export function wasAccepted(sql: Db) {
  return sql`d.redelivered and exists (
    select from delivery.webhook_attempts a
    where a.account_id = d.account_id and a.delivery_id = d.id and a.status_code between 200 and 299)`;
}

export type FinishedAttempt = { claimed: ClaimKey; attempt: Attempt; outcome: Outcome };

/**
 * Writes attempts, the outcome of each, and the state of their URLs, in one statement; returns whether each, in order, was
 * written: not if its lease was lost. A URL counts as failing from its first failure without a later success. It is
 * disabled by an outcome, or when a delivery is exhausted `disableAfterMs` or more after that first failure. A
 * redelivery after the end that fails does not count.
 */
export async function recordAttemptsIfLeased(
  sql: Db,
  finished: readonly FinishedAttempt[],
  disableAfterMs: number,
): Promise<boolean[]> {
  const items = finished.map(({ claimed, attempt, outcome }, ordinal) => {
    return { ordinal, ...keyOf(claimed), ...attempt, ...outcome };
  });
  const rows = await sql<{ ordinal: number }[]>`
    with changed as (
      update delivery.webhook_deliveries d
      set status = case when item.status <> 'pending' and ${wasAccepted(sql)} then 'delivered' else item.status end,
        -- The schedule counts its own attempts only.
        attempts = d.attempts + (item.status <> 'pending' or d.resume_at is null)::integer,
        next_attempt_at = item.next_attempt_at, resume_at = null, lease_until = null
      from jsonb_to_recordset(${jsonRecords(sql, items)}) as item (ordinal integer, account_id text, id text, fence bigint,
        at timestamptz, duration_ms integer, status_code integer, error text, response_body text, status text,
        next_attempt_at timestamptz)
      where d.account_id = item.account_id and d.id = item.id and d.fence = item.fence and ${isLeased(sql)}
      returning d.account_id, d.mode, d.url, d.redelivered, sha256(convert_to(d.url, 'UTF8')) as url_sha256, d.id, d.fence,
        item.ordinal, item.at, item.duration_ms, item.status_code, item.error, item.response_body, item.status
    ), written as (
      insert into delivery.webhook_attempts (account_id, delivery_id, number, at, status_code, error, duration_ms,
        response_body)
      select account_id, id, fence, at, status_code, error, duration_ms, response_body from changed
    ), of_url as materialized (
      select c.account_id, c.mode, c.url_sha256, min(c.url) as url, bool_or(c.status = 'delivered') as is_healed,
        min(c.at) filter (where c.status <> 'delivered' and not c.redelivered) as failed_at,
        case when bool_or(c.status = 'disabled') then 'gone'
          when bool_or(c.status = 'exhausted' and not c.redelivered
            and u.failing_since <= c.at - ${disableAfterMs}::double precision * interval '1 millisecond') then 'failing'
        end as reason, max(c.at) as at
      from changed c
      left join delivery.webhook_urls u
        on u.account_id = c.account_id and u.mode = c.mode and u.url_sha256 = c.url_sha256
      group by c.account_id, c.mode, c.url_sha256
    ), healed as (
      delete from delivery.webhook_urls u using of_url
      where of_url.is_healed and of_url.reason is null and u.disabled_at is null
        and u.account_id = of_url.account_id and u.mode = of_url.mode and u.url_sha256 = of_url.url_sha256
    ), failing as (
      insert into delivery.webhook_urls as u (account_id, mode, url_sha256, url, failing_since, disabled_at, reason)
      select account_id, mode, url_sha256, url, failed_at, case when reason is not null then at end, reason
      from of_url where reason is not null or failed_at is not null and not is_healed
      order by account_id, mode, url_sha256
      on conflict (account_id, mode, url_sha256) do update
      set failing_since = coalesce(u.failing_since, excluded.failing_since),
        disabled_at = coalesce(u.disabled_at, excluded.disabled_at), reason = coalesce(u.reason, excluded.reason)
      where u.failing_since is null or u.disabled_at is null and excluded.disabled_at is not null
    )
    select ordinal from changed`;
  const written = new Set(rows.map(({ ordinal }) => ordinal));
  return finished.map((_, ordinal) => written.has(ordinal));
}
