/** Rows of delivery.webhook_deliveries: inserted, read with attempts, sent again, counted for scrapes, and deleted. */
import { isId } from "#runtime/id.ts";
import { first, type Db } from "#runtime/postgres/connect.ts";
import type { KeptContext } from "#runtime/work-context.ts";
import type { DeliveryStatusName } from "#vocabulary/names.ts";
import type { ClaimedDelivery, DeliveryRow } from "../domain/delivery.ts";
import type { Owner } from "../domain/file.ts";
import { wasAccepted } from "./webhook-claims.ts";

/** Its context is that of its attempts. */
export type NewDelivery = KeptContext &
  Owner &
  Pick<DeliveryRow, "id" | "eventId" | "type" | "generationId" | "url"> &
  Pick<ClaimedDelivery, "host" | "body"> & { at: Date };

/** Inserts a delivery that is due at once; does nothing if its event has one, or its generation was deleted. */
export async function insertDelivery(sql: Db, delivery: NewDelivery): Promise<void> {
  await sql`
    select delivery.insert_delivery(${delivery.accountId}, ${delivery.id}, ${delivery.mode}, ${delivery.eventId},
      ${delivery.type}, ${delivery.generationId}, ${delivery.url}, ${delivery.host}, ${delivery.body}, ${delivery.at},
      ${delivery.requestId}, ${delivery.traceparent})`;
}

/** Deletes a generation's deliveries and attempts for good: from the commit of this on none is inserted any more. */
export async function deleteWebhooks(
  sql: Db,
  { accountId, generationId, at }: { accountId: string; generationId: string; at: Date },
): Promise<void> {
  await sql`select delivery.delete_webhooks(${accountId}, ${generationId}, ${at})`;
}

/** Makes up to `limit` deliveries due that were stopped with `url`; returns how many. An index has the `<> ''`. */
export async function resumeStoppedDeliveries(
  sql: Db,
  owner: Owner,
  url: string,
  { at, limit }: { at: Date; limit: number },
): Promise<number> {
  const result = await sql`
    update delivery.webhook_deliveries
    set status = 'pending', next_attempt_at = ${at}, resume_at = null
    where account_id = ${owner.accountId} and id in (
      select id from delivery.webhook_deliveries
      where account_id = ${owner.accountId} and mode = ${owner.mode} and status = 'disabled' and status <> ''
        and url = ${url}
      limit ${limit}
    )`;
  return result.count;
}

/**
 * Makes a delivery due now that has ended, or that waits for its next scheduled attempt, and keeps when that is due. False
 * if an attempt is due or under way, if its URL is disabled, or if the account and mode have no such delivery.
 */
export async function redeliverIfNotDue(
  sql: Db,
  { accountId, mode }: Owner,
  id: string,
  at: Date,
): Promise<boolean> {
  const result = await sql`
    update delivery.webhook_deliveries d
    set status = 'pending', next_attempt_at = ${at}, redelivered = d.redelivered or d.status <> 'pending',
      resume_at = case when d.status = 'pending' then coalesce(d.resume_at, d.next_attempt_at) else d.resume_at end
    where d.account_id = ${accountId} and d.mode = ${mode} and d.id = ${id}
      and (d.status <> 'pending' or d.lease_until is null and d.next_attempt_at > ${at})
      and not exists (
        select 1 as one from delivery.webhook_urls u
        where u.account_id = d.account_id and u.mode = d.mode and u.url_sha256 = sha256(convert_to(d.url, 'UTF8'))
          and u.disabled_at is not null
      )`;
  return result.count > 0;
}

export type Page = Owner & {
  /** `failing`: pending, an attempt of the schedule was made, and none was accepted. */
  status?: DeliveryStatusName | "failing" | undefined;
  generationId?: string | undefined;
  type?: string | undefined;
  url?: string | undefined;
  /** Both exclusive. */
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  /** The last row of the previous page. */
  after?: Pick<DeliveryRow, "createdAt" | "id"> | undefined;
  limit: number;
};

/** Redeliveries are unlimited, so only the latest attempts are read. */
const MAX_ATTEMPTS = 25;

/**
 * The newest of the span, from where the previous page ends. An index has one filter, and a further one is checked row by
 * row: deliveries of a status are read by it, which few have, and those that were delivered by the other filters, where
 * there are any. Each of the conditions that are always true lets the statement use the index of its filter.
 */
export function listDeliveries(sql: Db, page: Page): Promise<DeliveryRow[]> {
  const { status, generationId, type, url, createdAfter, createdBefore, after, limit } = page;
  const isByStatus =
    generationId === undefined &&
    (status !== "delivered" || (type === undefined && url === undefined));
  const keys: ReturnType<Db> = sql`
    select account_id, id from delivery.webhook_deliveries d
    where ${ofOwner(sql, page)}
      ${status === undefined ? sql`` : sql`and status = ${status === "failing" ? "pending" : status}`}
      ${status === undefined || !isByStatus ? sql`` : sql`and status <> ''`}
      ${status === "failing" ? sql`and attempts > 0 and not (${wasAccepted(sql)})` : sql``}
      ${generationId === undefined ? sql`` : sql`and generation_id = ${generationId}`}
      ${type === undefined ? sql`` : sql`and type = ${type}`}
      ${type === undefined || (status && isByStatus) ? sql`` : sql`and type <> ''`}
      ${url === undefined ? sql`` : sql`and hashtextextended(url, 0) = hashtextextended(${url}, 0) and url = ${url}`}
      ${url === undefined || (status && isByStatus) ? sql`` : sql`and url <> ''`}
      ${createdAfter === undefined ? sql`` : sql`and created_at > ${createdAfter}`}
      ${createdBefore === undefined ? sql`` : sql`and created_at < ${createdBefore}`}
      ${after === undefined ? sql`` : sql`and (created_at, id) < (${after.createdAt}, ${after.id})`}
    order by created_at desc, id desc
    limit ${limit}`;
  return withAttempts(sql, keys);
}

function ofOwner(sql: Db, { accountId, mode }: Owner) {
  return sql`account_id = ${accountId} and mode = ${mode}`;
}

/** By its own id or that of its event, and nothing by any other text; with the body that every attempt sends. */
export async function findDelivery(
  sql: Db,
  owner: Owner,
  id: string,
): Promise<(DeliveryRow & { body: Buffer }) | undefined> {
  if (!isId("whd", id) && !isId("evt", id)) return undefined;
  const keys: ReturnType<Db> = sql`
    select account_id, id, body from delivery.webhook_deliveries
    where ${ofOwner(sql, owner)} and ${isId("evt", id) ? sql`event_id` : sql`id`} = ${id}`;
  return first(withAttempts<{ body: Buffer }>(sql, keys, sql`, page.body`));
}

/**
 * The deliveries that `keys` selects. An attempt in flight is not included; one that a crash interrupted has the error
 * "unknown". `more` are further columns of the keys.
 */
async function withAttempts<More = object>(
  sql: Db,
  keys: ReturnType<Db>,
  more = sql``,
): Promise<(DeliveryRow & More)[]> {
  return sql<(DeliveryRow & More)[]>`
    with page as materialized (${keys})
    select d.id, d.event_id, d.type, d.generation_id, d.url, d.created_at, d.next_attempt_at, d.status, shown.attempts ${more}
    from page
    join delivery.webhook_deliveries d on d.account_id = page.account_id and d.id = page.id
    cross join lateral (
      select coalesce(json_agg(json_build_object('at', at, 'statusCode', status_code,
        'error', case when duration_ms is null then 'unknown' else error end,
        'durationMs', coalesce(duration_ms, 0), 'responseBody', response_body) order by number), '[]') as attempts
      from (
        select number, at, status_code, error, duration_ms, response_body
        from delivery.webhook_attempts
        where account_id = page.account_id and delivery_id = page.id
        order by number desc
        limit ${MAX_ATTEMPTS}
      ) latest
    ) shown
    order by d.created_at desc, d.id desc`;
}

/** More are counted as this many: what reads them must not grow with a backlog. */
const MAX_COUNTED = 5_000;
/** Receivers whose oldest delivery is looked at. */
const MAX_RECEIVERS = 1_000;

/**
 * How many deliveries are due and wait for a slot of their receiver (`ready`), are in progress or wait for the time of their
 * next attempt (`planned`), and since when the one that waits longest is due. Takes index steps for each receiver, and an
 * index scan of at most twice MAX_COUNTED entries.
 */
export async function readWebhookFigures(sql: Db, at: Date) {
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

/**
 * Deletes up to `limit` of an account's deliveries, attempts and URLs, and its secrets. Whether nothing is left. Without
 * its delivery no attempt and no URL is recorded any more, so these go once there is no delivery.
 */
export async function deleteAccountWebhooks(
  sql: Db,
  accountId: string,
  limit: number,
): Promise<boolean> {
  // NOTE: by keys, because a row that is updated meanwhile has another ctid, and would be left behind.
  const deliveries = await sql`
    delete from delivery.webhook_deliveries where account_id = ${accountId} and id in (
      select id from delivery.webhook_deliveries where account_id = ${accountId} limit ${limit})`;
  if (deliveries.count === limit) return false;
  const attempts = await sql`
    delete from delivery.webhook_attempts where account_id = ${accountId} and (delivery_id, number) in (
      select delivery_id, number from delivery.webhook_attempts where account_id = ${accountId} limit ${limit})`;
  const urls = await sql`
    delete from delivery.webhook_urls where account_id = ${accountId} and (mode, url_sha256) in (
      select mode, url_sha256 from delivery.webhook_urls where account_id = ${accountId} limit ${limit})`;
  await sql`delete from delivery.webhook_secrets where account_id = ${accountId}`;
  return Math.max(attempts.count, urls.count) < limit;
}
