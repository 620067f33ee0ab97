/** Reads of an account's deliveries with their status, attempts and bodies. */
import type { DeliveryStatusName } from "#vocabulary/delivery-status.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import { isId } from "#runtime/id.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { DeliveryRow } from "../domain/delivery.ts";

export type DeliveryOwner = { accountId: string; mode: ModeName };

/** `failing`: pending, and an attempt of the schedule was made. */
export type ListedStatus = DeliveryStatusName | "failing";

export type DeliveryFilter = {
  status: ListedStatus | undefined;
  type: string | undefined;
  url: string | undefined;
  /** Both exclusive. */
  createdAfter: Date | undefined;
  createdBefore: Date | undefined;
};

export type Page = DeliveryOwner &
  DeliveryFilter & {
    generationId: string | undefined;
    /** The last row of the previous page. */
    after: Pick<DeliveryRow, "createdAt" | "id"> | undefined;
    limit: number;
  };

/** Redeliveries are unlimited, so only the latest attempts are read. */
const MAX_ATTEMPTS = 25;

/** A page of deliveries, newest first. */
export function listDeliveries(sql: Db, page: Page): Promise<DeliveryRow[]> {
  return withAttempts(sql, keysOf(sql, page));
}

/**
 * The keys of a page, and when its deliveries were made. Deliveries of a status are read by it, which few have, and those that
 * were delivered by the other filters, where there are any: an index has one filter, and a further one is checked row by row.
 */
function keysOf(sql: Db, page: Page): ReturnType<typeof sql> {
  const { status, generationId, type, url } = page;
  const isByStatus =
    generationId === undefined &&
    (status !== "delivered" || (type === undefined && url === undefined));
  return status !== undefined && isByStatus
    ? keysOfStatus(sql, { ...page, status })
    : keysOfDeliveries(sql, page);
}

/** Each of the conditions that are always true lets the statement use the index of its filter. */
function keysOfDeliveries(sql: Db, page: Page): ReturnType<typeof sql> {
  const { status, generationId, type, url } = page;
  return sql`
    select account_id, id, created_at from delivery.webhook_deliveries
    where ${ofOwner(sql, page)}
      ${generationId === undefined ? sql`` : sql`and generation_id = ${generationId}`}
      ${type === undefined ? sql`` : sql`and type = ${type} and type <> ''`}
      ${url === undefined ? sql`` : sql`and hashtextextended(url, 0) = hashtextextended(${url}, 0) and url = ${url} and url <> ''`}
      ${status === undefined ? sql`` : hasStatus(sql, status)}
      ${spanOf(sql, page, "id")}`;
}

function keysOfStatus(sql: Db, page: Page & { status: ListedStatus }): ReturnType<typeof sql> {
  const { status, type, url } = page;
  const [table, ofStatus] = isInQueue(status)
    ? [sql`delivery.webhook_queue`, ofQueue(sql, status)]
    : [sql`delivery.finished_deliveries`, sql`and status = ${status}`];
  return sql`
    select account_id, delivery_id as id, created_at from ${table} listed
    where ${ofOwner(sql, page)} ${ofStatus}
      ${url === undefined ? sql`` : sql`and url_sha256 = sha256(convert_to(${url}, 'UTF8'))`}
      ${
        type === undefined
          ? sql``
          : sql`and (select type from delivery.webhook_deliveries
              where account_id = listed.account_id and id = listed.delivery_id) = ${type}`
      }
      ${spanOf(sql, page, "delivery_id")}`;
}

function ofOwner(sql: Db, { accountId, mode }: DeliveryOwner) {
  return sql`account_id = ${accountId} and mode = ${mode}`;
}

/** The newest of the span, from where the previous page ends. */
function spanOf(sql: Db, { createdAfter, createdBefore, after, limit }: Page, id: string) {
  return sql`
    ${createdAfter === undefined ? sql`` : sql`and created_at > ${createdAfter}`}
    ${createdBefore === undefined ? sql`` : sql`and created_at < ${createdBefore}`}
    ${after === undefined ? sql`` : sql`and (created_at, ${sql(id)}) < (${after.createdAt}, ${after.id})`}
    order by created_at desc, ${sql(id)} desc
    limit ${limit}`;
}

/** By its own id or that of its event. */
export async function findDelivery(
  sql: Db,
  owner: DeliveryOwner,
  id: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await withAttempts(
    sql,
    sql`
      select account_id, id from delivery.webhook_deliveries
      where ${ofOwner(sql, owner)} and ${isId("evt", id) ? sql`event_id` : sql`id`} = ${id}`,
  );
  return row;
}

/** The body that every attempt sends, as text. */
export async function findDeliveryBody(
  sql: Db,
  owner: DeliveryOwner,
  id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ body: Buffer }[]>`
    select body from delivery.webhook_deliveries
    where ${ofOwner(sql, owner)} and id = ${id}`;
  return row?.body.toString("utf8");
}

function isInQueue(status: ListedStatus): boolean {
  return status === "pending" || status === "failing";
}

/** Which rows of the queue have the status, as a further condition. */
function ofQueue(sql: Db, status: ListedStatus) {
  return status === "failing" ? sql`and attempt_count > 0` : sql``;
}

/** By its key for each row: a join could read all of an account. */
function hasStatus(sql: Db, status: ListedStatus) {
  return isInQueue(status)
    ? sql`and (select delivery_id from delivery.webhook_queue
        where account_id = webhook_deliveries.account_id and delivery_id = webhook_deliveries.id
          ${ofQueue(sql, status)}) is not null`
    : sql`and (select status from delivery.finished_deliveries
        where account_id = webhook_deliveries.account_id and delivery_id = webhook_deliveries.id) = ${status}`;
}

/**
 * The deliveries that `keys` selects. One statement reads both a delivery's status and its attempts, so that they are
 * consistent. An attempt in flight is not included; one that a crash interrupted has the error "unknown".
 */
async function withAttempts(sql: Db, keys: ReturnType<typeof sql>): Promise<DeliveryRow[]> {
  return sql<DeliveryRow[]>`
    with page as materialized (${keys})
    select d.id, d.event_id, d.type, d.generation_id, d.url, d.created_at, q.next_attempt_at,
      case when q.delivery_id is null then e.status else 'pending' end as status, shown.attempts
    from page
    join delivery.webhook_deliveries d on d.account_id = page.account_id and d.id = page.id
    left join delivery.webhook_queue q on q.account_id = page.account_id and q.delivery_id = page.id
    left join delivery.finished_deliveries e on e.account_id = page.account_id and e.delivery_id = page.id
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
