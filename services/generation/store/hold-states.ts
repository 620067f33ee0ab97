/** The columns of generations and tasks that tell whether a generation needs its hold. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";

export type HoldState = Pick<
  GenerationRow,
  "accountId" | "id" | "mode" | "attempt" | "step" | "settling"
>;

/** The generations that exist, in any order. */
export function findHoldStates(
  sql: Db,
  names: readonly { accountId: string; generationId: string }[],
): Promise<HoldState[]> {
  return sql<HoldState[]>`
    select g.account_id, g.id, g.mode, g.attempt, coalesce(t.step, 'done') as step, t.settling
    from unnest(${names.map((name) => name.accountId)}::text[], ${names.map((name) => name.generationId)}::text[])
      as named (account_id, id)
    join generation.generations g on g.account_id = named.account_id and g.id = named.id
    left join generation.tasks t on t.account_id = g.account_id and t.id = g.id`;
}

/** Generations without a decision, in the order of account and id, after `after`. */
export function listUnsettled(
  sql: Db,
  createdBefore: Date,
  after: Pick<HoldState, "accountId" | "id"> | undefined,
  limit: number,
): Promise<HoldState[]> {
  return sql<HoldState[]>`
    select t.account_id, t.id, t.mode, g.attempt, t.step, t.settling
    from generation.tasks t
    join generation.generations g on g.account_id = t.account_id and g.id = t.id
    where t.step in ('queue', 'submit', 'poll') and t.created_at < ${createdBefore}
      ${after === undefined ? sql`` : sql`and (t.account_id, t.id) > (${after.accountId}, ${after.id})`}
    order by t.account_id, t.id
    limit ${limit}`;
}
