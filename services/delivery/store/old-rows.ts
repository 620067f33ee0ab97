/** Deletion of old rows of tables whose key is a generation. */
import type { Db } from "#runtime/postgres/connect.ts";

export type RowKey = { accountId: string; generationId: string };

export type OldRows = {
  before: Date;
  /** The last row of the page before. */
  after: RowKey;
  /** How many rows are looked at. */
  limit: number;
};

/**
 * Deletes what is older of the next rows in order of their key; returns the last of them, if there may be more. In order
 * of age each page would read again all that those before have deleted: half of 3 million rows took a minute, and each
 * page longer than the one before.
 */
export async function deleteOldRows(
  sql: Db,
  { table, time }: { table: string; time: string },
  { before, after, limit }: OldRows,
): Promise<RowKey | undefined> {
  const [last] = await sql<(RowKey & { lookedAt: number })[]>`
    with page as materialized (
      select account_id, generation_id, ${sql(time)} as at from ${sql(table)}
      where (account_id, generation_id) > (${after.accountId}, ${after.generationId})
      order by account_id, generation_id limit ${limit}
    ), deleted as (
      delete from ${sql(table)} old using page
      where page.at < ${before} and old.account_id = page.account_id and old.generation_id = page.generation_id
    )
    select account_id, generation_id, (select count(*)::int from page) as looked_at from page
    order by account_id desc, generation_id desc limit 1`;
  return last?.lookedAt === limit ? last : undefined;
}
