/** What is known of generations that were deleted or discarded, once no copy and no event of them can come any more. */
import type { Db } from "#runtime/postgres/connect.ts";

export type RowKey = { accountId: string; generationId: string };

/** Each with the column of its time. */
const TABLES = { deleted_generations: "deleted_at", discarded_outputs: "discarded_at" } as const;

export type OldRows = keyof typeof TABLES;

export const OLD_ROWS = Object.keys(TABLES) as OldRows[];

/**
 * Deletes what is older than `before` of the `limit` rows after the key `after`, in order of their keys; returns the last
 * of them, if there may be more. In order of age each page would read again all that those before have deleted: half of 3
 * million rows took a minute, and each page longer than the one before.
 */
export async function deleteOldRows(
  sql: Db,
  table: OldRows,
  { before, after, limit }: { before: Date; after: RowKey; limit: number },
): Promise<RowKey | undefined> {
  const name = sql(`delivery.${table}`);
  const [last] = await sql<(RowKey & { lookedAt: number })[]>`
    with page as materialized (
      select account_id, generation_id, ${sql(TABLES[table])} as at from ${name}
      where (account_id, generation_id) > (${after.accountId}, ${after.generationId})
      order by account_id, generation_id limit ${limit}
    ), deleted as (
      delete from ${name} old using page
      where page.at < ${before} and old.account_id = page.account_id and old.generation_id = page.generation_id
    )
    select account_id, generation_id, (select count(*)::int from page) as looked_at from page
    order by account_id desc, generation_id desc limit 1`;
  return last?.lookedAt === limit ? last : undefined;
}
