/** Rows of generation.generations as the reconciliation with billing needs them. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";

export type Standing = Pick<
  GenerationRow,
  "account_id" | "id" | "mode" | "attempt" | "step" | "status" | "settling" | "next_step_at"
>;

const COLUMNS = [
  "account_id",
  "id",
  "mode",
  "attempt",
  "step",
  "status",
  "settling",
  "next_step_at",
] as const satisfies (keyof Standing)[];

/** The rows of these names that exist, in any order. */
export function findStandings(
  sql: Db,
  names: readonly { accountId: string; generationId: string }[],
): Promise<Standing[]> {
  const columns = COLUMNS.map((column) => `g.${column}`);
  return sql<Standing[]>`
    select ${sql(columns)}
    from unnest(${names.map((name) => name.accountId)}::text[], ${names.map((name) => name.generationId)}::text[])
      as asked (account_id, id)
    join generation.generations g using (account_id, id)`;
}

/** Acknowledged, not ended and not being settled, in the order of their names, behind `after`. */
export function listUnsettled(
  sql: Db,
  createdBefore: Date,
  after: Pick<Standing, "account_id" | "id"> | undefined,
  limit: number,
): Promise<Standing[]> {
  return sql<Standing[]>`
    select ${sql(COLUMNS)} from generation.generations
    where status in ('pending', 'processing') and settling is null and created_at < ${createdBefore}
      ${after === undefined ? sql`` : sql`and (account_id, id) > (${after.account_id}, ${after.id})`}
    order by account_id, id
    limit ${limit}`;
}
