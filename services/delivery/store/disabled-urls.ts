/** URLs of an account and mode that no webhook is sent to any more. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";

export type UrlOwner = { accountId: string; mode: ModeName };

/** "gone": it answered 410. "failing": it did nothing but fail for days. */
export type DisabledReason = "gone" | "failing";

export type DisabledUrlRow = {
  url: string;
  url_sha256: Buffer;
  reason: DisabledReason;
  disabled_at: Date;
};

/** Where a page of disabled URLs ends. */
export type DisabledUrlCursor = Pick<DisabledUrlRow, "disabled_at" | "url_sha256">;

export async function isUrlDisabled(sql: Db, owner: UrlOwner, url: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from delivery.disabled_urls
    where account_id = ${owner.accountId} and mode = ${owner.mode}
      and url_sha256 = sha256(convert_to(${url}, 'UTF8'))`;
  return rows.length > 0;
}

/** The latest disabled first. */
export function listDisabledUrls(
  sql: Db,
  owner: UrlOwner,
  page: { after: DisabledUrlCursor | undefined; limit: number },
): Promise<DisabledUrlRow[]> {
  const { after, limit } = page;
  return sql<DisabledUrlRow[]>`
    select url, url_sha256, reason, disabled_at
    from delivery.disabled_urls
    where account_id = ${owner.accountId} and mode = ${owner.mode}
      ${after === undefined ? sql`` : sql`and (disabled_at, url_sha256) < (${after.disabled_at}, ${after.url_sha256})`}
    order by disabled_at desc, url_sha256 desc
    limit ${limit}`;
}

/** Forgets that the URL was disabled, and what it failed with before. False where it was not disabled. */
export async function deleteDisabledUrl(sql: Db, owner: UrlOwner, url: string): Promise<boolean> {
  const rows = await sql`
    with forgotten as (
      delete from delivery.failing_urls
      where account_id = ${owner.accountId} and mode = ${owner.mode}
        and url_sha256 = sha256(convert_to(${url}, 'UTF8'))
    )
    delete from delivery.disabled_urls
    where account_id = ${owner.accountId} and mode = ${owner.mode}
      and url_sha256 = sha256(convert_to(${url}, 'UTF8'))
    returning url`;
  return rows.length > 0;
}
