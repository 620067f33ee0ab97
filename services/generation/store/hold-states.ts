/** The columns of generations and tasks that tell whether a generation needs its hold. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";

export type HoldState = Pick<
  GenerationRow,
  "accountId" | "id" | "mode" | "attempt" | "step" | "settling" | "nextStepAt"
>;

/** The rows that exist, in any order. */
export function findHoldStates(
  sql: Db,
  names: readonly { accountId: string; generationId: string }[],
): Promise<HoldState[]> {
  return sql<HoldState[]>`
    select named.account_id, named.id, coalesce(t.mode, g.mode) as mode, coalesce(t.attempt, g.attempt) as attempt,
      coalesce(t.step, 'done') as step, coalesce(t.settling, g.status) as settling, t.next_step_at
    from unnest(${names.map((name) => name.accountId)}::text[], ${names.map((name) => name.generationId)}::text[])
      as named (account_id, id)
    left join generation.tasks t on t.account_id = named.account_id and t.id = named.id
    left join generation.generations g on t.id is null and g.account_id = named.account_id and g.id = named.id
    where t.id is not null or g.id is not null`;
}

/** Acknowledged generations without a decision, in the order of account and id, after `after`. */
export function listUnsettled(
  sql: Db,
  createdBefore: Date,
  after: Pick<HoldState, "accountId" | "id"> | undefined,
  limit: number,
): Promise<HoldState[]> {
  return sql<HoldState[]>`
    select account_id, id, mode, attempt, step, settling, next_step_at from generation.tasks
    where step in ('queue', 'submit', 'poll') and created_at < ${createdBefore}
      ${after === undefined ? sql`` : sql`and (account_id, id) > (${after.accountId}, ${after.id})`}
    order by account_id, id
    limit ${limit}`;
}
