/** Reads of an account's deliveries with their status, attempts and bodies. */
import type { DeliveryStatusName, ModeName } from "#vocabulary/names.ts";
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

export function listDeliveries(sql: Db, page: Page): Promise<DeliveryRow[]> {
  return withAttempts(sql, keysOf(sql, page));
}

/**
 * The keys of a page, and when its deliveries were made: the newest of the span, from where the previous page ends. An
 * index has one filter, and a further one is checked row by row: deliveries of a status are read by it, which few have,
 * and those that were delivered by the other filters, where there are any. Each of the conditions that are always true
 * lets the statement use the index of its filter.
 */
function keysOf(sql: Db, page: Page): ReturnType<typeof sql> {
  const { status, generationId, type, url, createdAfter, createdBefore, after, limit } = page;
  const isByStatus =
    generationId === undefined &&
    (status !== "delivered" || (type === undefined && url === undefined));
  return sql`
    select account_id, id, created_at from delivery.webhook_deliveries
    where ${ofOwner(sql, page)}
      ${status === undefined ? sql`` : sql`and status = ${status === "failing" ? "pending" : status}`}
      ${status === undefined || !isByStatus ? sql`` : sql`and status <> ''`}
      ${status === "failing" ? sql`and attempts > 0` : sql``}
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
}

function ofOwner(sql: Db, { accountId, mode }: DeliveryOwner) {
  return sql`account_id = ${accountId} and mode = ${mode}`;
}

/** By its own id or that of its event; with the body that every attempt sends. */
export async function findDelivery(
  sql: Db,
  owner: DeliveryOwner,
  id: string,
): Promise<(DeliveryRow & { body: Buffer }) | undefined> {
  const keys: ReturnType<Db> = sql`
    select account_id, id, body from delivery.webhook_deliveries
    where ${ofOwner(sql, owner)} and ${isId("evt", id) ? sql`event_id` : sql`id`} = ${id}`;
  const [row] = await withAttempts<{ body: Buffer }>(sql, keys, sql`, page.body`);
  return row;
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
