/** Reads of an account's deliveries with their status, attempts and bodies. */
import type { DeliveryStatusName } from "#vocabulary/delivery-status.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { countNewest, type Counted } from "#runtime/postgres/count-newest.ts";
import type { DeliveryRow } from "../domain/delivery.ts";

export type DeliveryOwner = { accountId: string; mode: ModeName };

/** `failing`: pending, and an attempt of the schedule was made. */
export type ListedStatus = DeliveryStatusName | "failing";

export type Page = DeliveryOwner & {
  generationId: string | undefined;
  status: ListedStatus | undefined;
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

/** How many deliveries a page has. */
export function countDeliveries(sql: Db, page: Page): Promise<Counted> {
  return countNewest(sql, keysOf(sql, page), page.limit);
}

/** The keys of a page, and when its deliveries were made. */
function keysOf(sql: Db, page: Page): ReturnType<typeof sql> {
  const { generationId, status, after } = page;
  const ofOwner = sql`account_id = ${page.accountId} and mode = ${page.mode}`;
  if (status !== undefined && generationId === undefined) {
    const before =
      after === undefined
        ? sql``
        : sql`and (created_at, delivery_id) < (${after.createdAt}, ${after.id})`;
    const newest = sql`${before} order by created_at desc, delivery_id desc limit ${page.limit}`;
    return isInQueue(status)
      ? sql`select account_id, delivery_id as id, created_at from delivery.webhook_queue
          where ${ofOwner} ${ofQueue(sql, status)} ${newest}`
      : sql`select account_id, delivery_id as id, created_at from delivery.finished_deliveries
          where ${ofOwner} and status = ${status} ${newest}`;
  }
  return sql`
    select account_id, id, created_at from delivery.webhook_deliveries
    where ${ofOwner}
      ${generationId === undefined ? sql`` : sql`and generation_id = ${generationId}`}
      ${status === undefined ? sql`` : hasStatus(sql, status)}
      ${after === undefined ? sql`` : sql`and (created_at, id) < (${after.createdAt}, ${after.id})`}
    order by created_at desc, id desc
    limit ${page.limit}`;
}

export async function findDelivery(
  sql: Db,
  owner: DeliveryOwner,
  id: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await withAttempts(
    sql,
    sql`
      select account_id, id from delivery.webhook_deliveries
      where account_id = ${owner.accountId} and mode = ${owner.mode} and id = ${id}`,
  );
  return row;
}

/** The body that every attempt sends, as text. */
export async function findDeliveryBody(
  sql: Db,
  { accountId, mode }: DeliveryOwner,
  id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ body: Buffer }[]>`
    select body from delivery.webhook_deliveries
    where account_id = ${accountId} and mode = ${mode} and id = ${id}`;
  return row?.body.toString("utf8");
}

function isInQueue(status: ListedStatus): boolean {
  return status === "pending" || status === "failing";
}

/** Which rows of the queue have the status, as a further condition. */
function ofQueue(sql: Db, status: ListedStatus) {
  return status === "failing" ? sql`and attempt_count > 0` : sql``;
}

function hasStatus(sql: Db, status: ListedStatus) {
  return isInQueue(status)
    ? sql`and exists (select 1 as one from delivery.webhook_queue
        where account_id = webhook_deliveries.account_id and delivery_id = webhook_deliveries.id
          ${ofQueue(sql, status)})`
    : sql`and exists (select 1 as one from delivery.finished_deliveries
        where account_id = webhook_deliveries.account_id and delivery_id = webhook_deliveries.id
          and status = ${status})`;
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
