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
      body, status, next_attempt_at, ready, created_at)
    values (${it.accountId}, ${it.id}, ${it.mode}, ${it.eventId}, ${it.type}, ${it.generationId}, ${it.url},
      ${it.host}, ${it.body}, 'pending', ${it.at}, true, ${it.at})
    on conflict (account_id, event_id) do nothing`;
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
    set status = 'pending', next_attempt_at = ${at}, ready = true
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
    set status = 'pending', next_attempt_at = ${at}, ready = true, redelivered = true
    where d.account_id = ${owner.accountId} and d.mode = ${owner.mode} and d.id = ${id} and d.status <> 'pending'
      and not exists (
        select 1 as one from delivery.disabled_urls u
        where u.account_id = d.account_id and u.mode = d.mode
          and u.url_sha256 = sha256(convert_to(d.url, 'UTF8'))
      )
    returning d.id`;
  return rows.length > 0;
}
