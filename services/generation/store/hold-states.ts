/** The columns of generation.generations that tell whether a generation needs its hold. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";

const COLUMNS = [
  "accountId",
  "id",
  "mode",
  "attempt",
  "step",
  "status",
  "settling",
  "nextStepAt",
] as const satisfies (keyof GenerationRow)[];

export type HoldState = Pick<GenerationRow, (typeof COLUMNS)[number]>;

/** The rows that exist, in any order. */
export function findHoldStates(
  sql: Db,
  names: readonly { accountId: string; generationId: string }[],
): Promise<HoldState[]> {
  const columns = COLUMNS.map((column) => `g.${column}`);
  return sql<HoldState[]>`
    select ${sql(columns)}
    from unnest(${names.map((name) => name.accountId)}::text[], ${names.map((name) => name.generationId)}::text[])
      as named (account_id, id)
    join generation.generations g using (account_id, id)`;
}

/** Acknowledged generations without a decision, in the order of account and id, after `after`. */
export function listUnsettled(
  sql: Db,
  createdBefore: Date,
  after: Pick<HoldState, "accountId" | "id"> | undefined,
  limit: number,
): Promise<HoldState[]> {
  return sql<HoldState[]>`
    select ${sql(COLUMNS)} from generation.generations
    where status in ('pending', 'processing') and settling is null and created_at < ${createdBefore}
      ${after === undefined ? sql`` : sql`and (account_id, id) > (${after.accountId}, ${after.id})`}
    order by account_id, id
    limit ${limit}`;
}
