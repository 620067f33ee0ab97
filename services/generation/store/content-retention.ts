/** How long the content of generations is kept: the settings of accounts, and the generations that are over them. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { LimitedRetention } from "#runtime/postgres/retention.ts";
import { deleteOldSubmits } from "./ends.ts";

/** `days` null keeps content for ever. */
export async function setRetention(sql: Db, accountId: string, days: number | null): Promise<void> {
  await sql`
    insert into generation.content_retention (account_id, days) values (${accountId}, ${days})
    on conflict (account_id) do update set days = excluded.days`;
}

export async function findRetention(sql: Db, accountId: string): Promise<number | undefined> {
  const [row] = await sql<{ days: number | null }[]>`
    select days from generation.content_retention where account_id = ${accountId}`;
  return row?.days ?? undefined;
}

/** The accounts with a limited retention, which are those that an operator has limited. */
export function listLimitedRetentions(sql: Db): Promise<LimitedRetention[]> {
  return sql<LimitedRetention[]>`
    select account_id, days from generation.content_retention where days is not null order by account_id`;
}

/** Up to `limit` generations of an account that ended before a time and have their content, oldest first. */
export async function listWithContent(
  sql: Db,
  { accountId, endedBefore }: { accountId: string; endedBefore: Date },
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from generation.generations g
    where account_id = ${accountId} and erased_at is null and deleted_at is null and completed_at < ${endedBefore}
      and ${hasNoTask(sql)}
    order by completed_at limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Of a generation `g`: its end was delivered, and nothing is left to stop. */
function hasNoTask(sql: Db): ReturnType<Db> {
  return sql`not exists (select from generation.tasks t where t.account_id = g.account_id and t.id = g.id)`;
}

/** Removes clients' content and the ids of upstream jobs, which may carry it. Outputs and Tokens stay. */
export async function eraseContentIfDone(
  sql: Db,
  accountId: string,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  await sql`
    with erased as (
      update generation.generations g
      set erased_at = ${at}, upstream_id = null, submit_token = null, defaulted = '{}',
        input = (input || '{"prompt": ""}')
          - '{negative_prompt,image_url,image_urls,last_image_url,reference_images,video_url,mask_url,webhook_url,metadata,seed}'::text[]
      where account_id = ${accountId} and id = any(${ids as string[]}) and erased_at is null
        and deleted_at is null and ${hasNoTask(sql)}
      returning account_id, id
    ) ${deleteOldSubmits(sql)}`;
}
