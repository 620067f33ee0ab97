/** Deliveries: one row per event with the bytes to send, and a row in the queue while it is pending. */
import type { ModeName } from "#vocabulary/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { KeptContext } from "#runtime/work-context.ts";
import type { DeliveryOwner } from "./delivery-log.ts";

/** Its context is that of its attempts. */
export type NewDelivery = KeptContext & {
  accountId: string;
  id: string;
  mode: ModeName;
  eventId: string;
  type: string;
  /** Null for a test event and an alert. */
  generationId: string | null;
  url: string;
  host: string;
  body: Buffer;
  at: Date;
};

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

/** Makes up to `limit` deliveries that were stopped because `url` was disabled due again; returns how many. */
export async function resumeStoppedDeliveries(
  sql: Db,
  owner: { accountId: string; mode: ModeName },
  url: string,
  { at, limit }: { at: Date; limit: number },
): Promise<number> {
  const rows = await sql`
    with stopped as (
      select account_id, delivery_id from delivery.finished_deliveries
      where account_id = ${owner.accountId} and mode = ${owner.mode} and status = 'disabled'
        and url_sha256 = sha256(convert_to(${url}, 'UTF8'))
      limit ${limit}
    ), resumed as (
      delete from delivery.finished_deliveries e
      using stopped
      where e.account_id = stopped.account_id and e.delivery_id = stopped.delivery_id
      returning e.account_id, e.delivery_id, e.mode, e.url_sha256, e.created_at, e.fence, e.attempt_count,
        e.redelivered
    )
    insert into delivery.webhook_queue (account_id, delivery_id, mode, url_sha256, host, created_at,
      next_attempt_at, ready, fence, attempt_count, redelivered)
    select r.account_id, r.delivery_id, r.mode, r.url_sha256, d.host, r.created_at,
      ${at}, true, r.fence, r.attempt_count, r.redelivered
    from resumed r
    join delivery.webhook_deliveries d on d.account_id = r.account_id and d.id = r.delivery_id
    returning delivery_id`;
  return rows.length;
}

/**
 * Makes a delivery that has ended due once more. False if it is pending, if its URL is disabled, or if the account and
 * mode have no such delivery.
 */
export async function redeliverIfEnded(
  sql: Db,
  owner: DeliveryOwner,
  id: string,
  at: Date,
): Promise<boolean> {
  const rows = await sql`
    with ended as (
      delete from delivery.finished_deliveries e
      where ${mayBeSentAgain(sql, "e", owner, id)}
      returning e.account_id, e.delivery_id, e.mode, e.url_sha256, e.created_at, e.fence, e.attempt_count
    )
    insert into delivery.webhook_queue (account_id, delivery_id, mode, url_sha256, host, created_at,
      next_attempt_at, ready, fence, attempt_count, redelivered)
    select e.account_id, e.delivery_id, e.mode, e.url_sha256, d.host, e.created_at,
      ${at}, true, e.fence, e.attempt_count, true
    from ended e
    join delivery.webhook_deliveries d on d.account_id = e.account_id and d.id = e.delivery_id
    returning delivery_id`;
  return rows.length > 0;
}

/**
 * Makes a delivery due now that waits for its next scheduled attempt, and keeps when that is due. False if there is none, if an attempt is due or
 * under way, or if its URL is disabled.
 */
export async function advanceIfScheduled(
  sql: Db,
  owner: DeliveryOwner,
  id: string,
  at: Date,
): Promise<boolean> {
  const rows = await sql`
    update delivery.webhook_queue q
    set next_attempt_at = ${at}, resume_at = coalesce(q.resume_at, q.next_attempt_at)
    where ${mayBeSentAgain(sql, "q", owner, id)}
      and q.host_slot is null and q.next_attempt_at > ${at}
    returning delivery_id`;
  return rows.length > 0;
}

/** The condition that a row, by its alias, is the owner's delivery `id` and that its URL is not disabled. */
function mayBeSentAgain(sql: Db, alias: "e" | "q", owner: DeliveryOwner, id: string) {
  const row = sql(alias);
  return sql`
    ${row}.account_id = ${owner.accountId} and ${row}.mode = ${owner.mode} and ${row}.delivery_id = ${id}
    and not exists (
      select 1 as one from delivery.disabled_urls u
      where u.account_id = ${row}.account_id and u.mode = ${row}.mode and u.url_sha256 = ${row}.url_sha256
    )`;
}
