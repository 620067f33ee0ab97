/** Deliveries: one row for each event, holding the bytes to send and when to send them next. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres.ts";

export type NewDelivery = {
  accountId: string;
  id: string;
  mode: ModeName;
  eventId: string;
  type: string;
  /** Null where it tells of none. */
  generationId: string | null;
  url: string;
  host: string;
  body: Buffer;
  at: Date;
};

/** Commits a delivery that is due at once; does nothing where the event has one already. */
export async function insertDelivery(sql: Db, it: NewDelivery): Promise<void> {
  await sql`
    insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, generation_id, url, host,
      body, status, next_attempt_at, created_at)
    values (${it.accountId}, ${it.id}, ${it.mode}, ${it.eventId}, ${it.type}, ${it.generationId}, ${it.url},
      ${it.host}, ${it.body}, 'pending', ${it.at}, ${it.at})
    on conflict (account_id, event_id) do nothing`;
}

/** A delivery that this worker alone may try until its lease ends. */
export type ClaimedDelivery = {
  account_id: string;
  id: string;
  mode: ModeName;
  event_id: string;
  url: string;
  host: string;
  body: Buffer;
  attempt_count: number;
  /** The account asked for this attempt; none follows by itself. */
  redelivered: boolean;
  fence: bigint;
};

export type Claim = {
  now: Date;
  leaseUntil: Date;
  limit: number;
  /** Attempts in flight by host; no host gets more than `maxPerHost` with what is claimed. */
  inFlight: ReadonlyMap<string, number>;
  maxPerHost: number;
};

/**
 * Leases due deliveries, the longest due first. Only the oldest 256 of hosts with room are looked at, so that a
 * claim stays cheap behind a long queue for one dead host; ask again until nothing comes.
 */
export async function claimDueDeliveries(sql: Db, claim: Claim): Promise<ClaimedDelivery[]> {
  const { now, leaseUntil, limit, maxPerHost } = claim;
  const hosts = [...claim.inFlight.keys()];
  const counts = [...claim.inFlight.values()];
  const full = hosts.filter((_, index) => (counts[index] ?? 0) >= maxPerHost);
  return sql<ClaimedDelivery[]>`
    with due as materialized (
      select account_id, id, host, next_attempt_at
      from delivery.webhook_deliveries
      where next_attempt_at <= ${now} and (lease_until is null or lease_until <= ${now})
        and host <> all(${full}::text[])
      order by next_attempt_at
      limit 256
    ), placed as (
      select due.account_id, due.id,
        row_number() over (partition by due.host order by due.next_attempt_at, due.id) as place,
        coalesce(busy.attempts, 0) as in_flight
      from due
      left join unnest(${hosts}::text[], ${counts}::integer[]) as busy (host, attempts) on busy.host = due.host
    ), chosen as (
      select d.account_id, d.id
      from delivery.webhook_deliveries d
      join placed on placed.account_id = d.account_id and placed.id = d.id
      where placed.place + placed.in_flight <= ${maxPerHost}
        and d.next_attempt_at <= ${now} and (d.lease_until is null or d.lease_until <= ${now})
      order by d.next_attempt_at
      limit ${limit}
      for update of d skip locked
    )
    update delivery.webhook_deliveries d
    set lease_until = ${leaseUntil}, fence = d.fence + 1
    from chosen
    where d.account_id = chosen.account_id and d.id = chosen.id
    returning d.account_id, d.id, d.mode, d.event_id, d.url, d.host, d.body, d.attempt_count,
      d.redelivered, d.fence`;
}

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

/**
 * Writes the attempt, what follows from it, and where it is "disabled" the URL, in one statement. False where
 * the lease was lost: then nothing is written.
 */
export async function recordAttemptIfLeased(
  sql: Db,
  claimed: ClaimedDelivery,
  attempt: Attempt,
  verdict: Verdict,
): Promise<boolean> {
  const nextAttemptAt = verdict.status === "pending" ? verdict.nextAttemptAt : null;
  const rows = await sql`
    with changed as (
      update delivery.webhook_deliveries
      set status = ${verdict.status}, attempt_count = attempt_count + 1, next_attempt_at = ${nextAttemptAt},
        lease_until = null
      where account_id = ${claimed.account_id} and id = ${claimed.id}
        and fence = ${claimed.fence.toString()}::bigint and status = 'pending'
      returning account_id, id, mode, url, status, attempt_count
    ), stopped as (
      insert into delivery.disabled_urls (account_id, mode, url_sha256, url, disabled_at)
      select account_id, mode, sha256(convert_to(url, 'UTF8')), url, ${attempt.at}::timestamptz
      from changed where status = 'disabled'
      on conflict (account_id, mode, url_sha256) do nothing
    )
    insert into delivery.webhook_attempts (account_id, delivery_id, number, at, status_code, error, duration_ms,
      response_body)
    select account_id, id, attempt_count, ${attempt.at}::timestamptz, ${attempt.statusCode ?? null}::integer,
      ${attempt.error ?? null}::text, ${attempt.durationMs}::integer, ${attempt.responseBody ?? null}::text
    from changed
    returning number`;
  return rows.length > 0;
}

/** Ends a delivery whose URL was disabled before it could be tried; does nothing where the lease was lost. */
export async function disableDeliveryIfLeased(sql: Db, claimed: ClaimedDelivery): Promise<void> {
  await sql`
    update delivery.webhook_deliveries
    set status = 'disabled', next_attempt_at = null, lease_until = null
    where account_id = ${claimed.account_id} and id = ${claimed.id}
      and fence = ${claimed.fence.toString()}::bigint and status = 'pending'`;
}

/** Gives a claimed delivery back untried, due as before; does nothing where the lease was lost. */
export async function releaseDeliveryIfLeased(sql: Db, claimed: ClaimedDelivery): Promise<void> {
  await sql`
    update delivery.webhook_deliveries
    set lease_until = null
    where account_id = ${claimed.account_id} and id = ${claimed.id}
      and fence = ${claimed.fence.toString()}::bigint and status = 'pending'`;
}

/** Makes deliveries that a disabled URL stopped due now, at most `limit`; how many. */
export async function resumeStoppedDeliveries(
  sql: Db,
  owner: { accountId: string; mode: ModeName },
  url: string,
  { at, limit }: { at: Date; limit: number },
): Promise<number> {
  const rows = await sql`
    with stopped as (
      select account_id, id from delivery.webhook_deliveries
      where account_id = ${owner.accountId} and mode = ${owner.mode} and status = 'disabled'
        and md5(url) = md5(${url}) and url = ${url}
      limit ${limit}
      for update
    )
    update delivery.webhook_deliveries d
    set status = 'pending', next_attempt_at = ${at}
    from stopped
    where d.account_id = stopped.account_id and d.id = stopped.id
    returning d.id`;
  return rows.length;
}

/**
 * Makes a delivery that has ended due once more. False where it is pending, where its URL is disabled, or where
 * there is none of that account and mode.
 */
export async function redeliverIfEnded(
  sql: Db,
  owner: { accountId: string; mode: ModeName },
  id: string,
  at: Date,
): Promise<boolean> {
  const rows = await sql`
    update delivery.webhook_deliveries d
    set status = 'pending', next_attempt_at = ${at}, redelivered = true
    where d.account_id = ${owner.accountId} and d.mode = ${owner.mode} and d.id = ${id} and d.status <> 'pending'
      and not exists (
        select 1 as one from delivery.disabled_urls u
        where u.account_id = d.account_id and u.mode = d.mode
          and u.url_sha256 = sha256(convert_to(d.url, 'UTF8'))
      )
    returning d.id`;
  return rows.length > 0;
}
