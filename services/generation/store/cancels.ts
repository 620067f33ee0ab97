/** Updates of generation.tasks for the owner's cancel: a decision, made only if there is none yet. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { joinedColumns } from "./generations.ts";

/**
 * Raises the fence, which takes the row from its worker. Undefined unless nothing is decided, and no upstream has the task
 * or may have it; a video's submit may be under way, because its job can be stopped later.
 */
export async function cancelTaskIfPending(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<GenerationRow | undefined> {
  const isStoppable: ReturnType<Db> = sql`t.step in ('queue', 'submit') and (t.kind = 'video' or t.submit_token is null)`;
  return decideCanceled(sql, row, at, isStoppable);
}

/** Ends the generation of a job that the upstream has certainly stopped. Undefined if an end was decided before. */
export async function cancelTaskIfOpen(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<GenerationRow | undefined> {
  return decideCanceled(sql, row, at, sql`t.step in ('queue', 'submit', 'poll')`);
}

async function decideCanceled(
  sql: Db,
  row: GenerationRow,
  at: Date,
  isOpen: ReturnType<Db>,
): Promise<GenerationRow | undefined> {
  const [canceled] = await sql<GenerationRow[]>`
    update generation.tasks t
    set settling = 'canceled', step = 'settle', failures = 0, fence = t.fence + 1, lease_until = null,
      next_step_at = ${at}
    from generation.generations g
    where t.account_id = ${row.accountId} and t.id = ${row.id} and ${isOpen}
      and g.account_id = t.account_id and g.id = t.id
    returning ${joinedColumns(sql)}`;
  return canceled;
}

/** Records the cancel request: a poll that finds the job stopped then decides canceled, not failed. */
export async function requestCancelIfProcessing(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<boolean> {
  const result = await sql`
    update generation.tasks set cancel_requested_at = ${at}
    where account_id = ${row.accountId} and id = ${row.id} and step = 'poll'`;
  return result.count === 1;
}
