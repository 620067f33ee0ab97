/** Deliveries with their attempts, as the account that they belong to reads them. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres.ts";
import type { DeliveryRow, StatusName } from "../domain/delivery.ts";

export type DeliveryOwner = { accountId: string; mode: ModeName };

export type Page = DeliveryOwner & {
  generationId: string | undefined;
  status: StatusName | undefined;
  /** The last row of the page before. */
  after: Pick<DeliveryRow, "created_at" | "id"> | undefined;
  limit: number;
};

/** Redeliveries have no end; a delivery is shown with this many attempts, the latest. */
const SHOWN_ATTEMPTS = 25;

/** Newest first. */
export function listDeliveries(sql: Db, page: Page): Promise<DeliveryRow[]> {
  const { generationId, status, after } = page;
  return withAttempts(
    sql,
    page,
    sql`
      ${generationId === undefined ? sql`` : sql`and generation_id = ${generationId}`}
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${after === undefined ? sql`` : sql`and (created_at, id) < (${after.created_at}, ${after.id})`}`,
    page.limit,
  );
}

export async function findDelivery(
  sql: Db,
  owner: DeliveryOwner,
  id: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await withAttempts(sql, owner, sql`and id = ${id}`, 1);
  return row;
}

/**
 * One statement, so that a delivery's status and its attempts are of one moment. An attempt that is being made is not
 * shown yet; one that a crash cut off has an unknown outcome.
 */
async function withAttempts(
  sql: Db,
  owner: DeliveryOwner,
  condition: ReturnType<typeof sql>,
  limit: number,
): Promise<DeliveryRow[]> {
  return sql<DeliveryRow[]>`
    with page as materialized (
      select account_id, id, event_id, type, generation_id, url, status, next_attempt_at, created_at, fence,
        lease_until
      from delivery.webhook_deliveries
      where account_id = ${owner.accountId} and mode = ${owner.mode} ${condition}
      order by created_at desc, id desc
      limit ${limit}
    )
    select id, event_id, type, generation_id, url, status, next_attempt_at, created_at, shown.attempts
    from page
    cross join lateral (
      select coalesce(json_agg(json_build_object('at', at, 'status_code', status_code,
        'error', case when duration_ms is null then 'unknown' else error end,
        'duration_ms', coalesce(duration_ms, 0), 'response_body', response_body) order by number), '[]') as attempts
      from (
        select number, at, status_code, error, duration_ms, response_body
        from delivery.webhook_attempts
        where account_id = page.account_id and delivery_id = page.id and error is distinct from 'not_sent'
          and not (duration_ms is null and number = page.fence and page.lease_until is not null)
        order by number desc
        limit ${SHOWN_ATTEMPTS}
      ) latest
    ) shown
    order by created_at desc, id desc`;
}
