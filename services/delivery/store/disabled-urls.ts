/** URLs of an account and mode that no webhook is sent to any more. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres.ts";

export async function isUrlDisabled(
  sql: Db,
  accountId: string,
  mode: ModeName,
  url: string,
): Promise<boolean> {
  const rows = await sql`
    select 1 as one from delivery.disabled_urls
    where account_id = ${accountId} and mode = ${mode}
      and url_sha256 = sha256(convert_to(${url}, 'UTF8'))`;
  return rows.length > 0;
}
