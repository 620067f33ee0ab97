/** Reads open holds, to compare them with their generations. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { HoldName } from "../domain/hold-name.ts";

const NAME = ["accountId", "mode", "generationId", "attempt"] as const satisfies (keyof HoldName)[];

/** The oldest first, starting after `after`, which may be resolved by now. */
export function listOpenHolds(
  sql: Db,
  createdBefore: Date,
  after: HoldName | undefined,
  limit: number,
): Promise<HoldName[]> {
  return sql<HoldName[]>`
    select ${sql(NAME)} from billing.holds
    where state = 'held' and created_at < ${createdBefore}
      ${
        after === undefined
          ? sql``
          : sql`and (created_at, ${sql(NAME)}) > (
              select created_at, ${sql(NAME)} from billing.holds
              where account_id = ${after.accountId} and mode = ${after.mode}
                and generation_id = ${after.generationId} and attempt = ${after.attempt})`
      }
    order by created_at, ${sql(NAME)}
    limit ${limit}`;
}

export async function checkHolds(sql: Db, holds: readonly HoldName[]): Promise<boolean[]> {
  const rows = await sql<{ isOpen: boolean }[]>`
    select coalesce(h.state = 'held', false) as is_open
    from unnest(${holds.map((hold) => hold.accountId)}::text[], ${holds.map((hold) => hold.mode)}::text[],
        ${holds.map((hold) => hold.generationId)}::text[], ${holds.map((hold) => hold.attempt)}::integer[])
      with ordinality as asked (${sql(NAME)}, ordinal)
    left join billing.holds h using (${sql(NAME)})
    order by ordinal`;
  return rows.map((row) => row.isOpen);
}
