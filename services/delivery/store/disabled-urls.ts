/** The URLs of an account and mode that get no webhooks. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { Owner } from "../domain/file.ts";

/** "gone": it answered 410. "failing": every attempt failed for days. "operator": by hand. */
export type DisabledReason = "gone" | "failing" | "operator";

export type DisabledUrlRow = {
  url: string;
  urlSha256: Buffer;
  reason: DisabledReason;
  disabledAt: Date;
};

/** The last row of a page. */
export type DisabledUrlCursor = Pick<DisabledUrlRow, "disabledAt" | "urlSha256">;

export async function isUrlDisabled(sql: Db, owner: Owner, url: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from delivery.webhook_urls
    where account_id = ${owner.accountId} and mode = ${owner.mode}
      and url_sha256 = sha256(convert_to(${url}, 'UTF8')) and disabled_at is not null`;
  return rows.length > 0;
}

export function listDisabledUrls(
  sql: Db,
  owner: Owner,
  page: { url: string | undefined; after: DisabledUrlCursor | undefined; limit: number },
): Promise<DisabledUrlRow[]> {
  const { url, after, limit } = page;
  return sql<DisabledUrlRow[]>`
    select url, url_sha256, reason, disabled_at
    from delivery.webhook_urls
    where account_id = ${owner.accountId} and mode = ${owner.mode} and disabled_at is not null
      ${url === undefined ? sql`` : sql`and url_sha256 = sha256(convert_to(${url}, 'UTF8'))`}
      ${after === undefined ? sql`` : sql`and (disabled_at, url_sha256) < (${after.disabledAt}, ${after.urlSha256})`}
    order by disabled_at desc, url_sha256 desc
    limit ${limit}`;
}

/** Disables a URL by hand. False if it was disabled. */
export async function insertDisabledUrl(sql: Db, owner: Owner, url: string, at: Date) {
  const result = await sql`
    insert into delivery.webhook_urls as u (account_id, mode, url_sha256, url, reason, disabled_at)
    values (${owner.accountId}, ${owner.mode}, sha256(convert_to(${url}, 'UTF8')), ${url}, 'operator', ${at})
    on conflict (account_id, mode, url_sha256) do update
    set disabled_at = excluded.disabled_at, reason = excluded.reason
    where u.disabled_at is null`;
  return result.count === 1;
}

/** Deletes the URL's disabled state and its record of failures. False if it was not disabled. */
export async function deleteDisabledUrl(sql: Db, owner: Owner, url: string): Promise<boolean> {
  const rows = await sql<{ wasDisabled: boolean }[]>`
    delete from delivery.webhook_urls
    where account_id = ${owner.accountId} and mode = ${owner.mode}
      and url_sha256 = sha256(convert_to(${url}, 'UTF8'))
    returning disabled_at is not null as was_disabled`;
  return rows[0]?.wasDisabled ?? false;
}
