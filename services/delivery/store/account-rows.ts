/** What is left of an account that is erased, besides its outputs and files. */
import type { Db } from "#runtime/postgres/connect.ts";

/**
 * Deletes up to `limit` of an account's deliveries, attempts and URLs, and its secrets. Whether nothing is left. Without
 * its delivery no attempt and no URL is recorded any more, so these go once there is no delivery.
 */
export async function deleteSomeRows(sql: Db, accountId: string, limit: number): Promise<boolean> {
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
