/** Deliveries: one row per event with the bytes to send and how far it is. */
import type { ModeName } from "#vocabulary/names.ts";
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
  const result = await sql`
    update delivery.webhook_deliveries
    set status = 'pending', next_attempt_at = ${at}
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
  { accountId, mode }: DeliveryOwner,
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
