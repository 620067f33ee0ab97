/** The ends of generations: the decision becomes visible, and the task moves on or is deleted. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { fencedRecords, whichWritten, type Change, type Fenced } from "./steps.ts";

/** What is left to do after the end. */
export type AfterEnd = "notify" | "stop" | "done";

/** `tokens`: what is charged, or was restored. */
export type End = { step: AfterEnd; nextStepAt: Date; completedAt: Date; tokens: bigint };

/**
 * Shows the decided end of generations of one step, with all that was decided. A task of which nothing is left is
 * deleted; one that goes on with step `notify` stays with its worker. False for each row that another worker has taken.
 */
export async function endTasksIfHeld(sql: Db, changes: readonly Change<End>[]): Promise<boolean[]> {
  const isOver = changes[0]?.change.step === "done";
  const ended = isOver
    ? sql`delete from generation.tasks t using c where`
    : sql`
      update generation.tasks t set step = c.step, next_step_at = c.next_step_at, failures = 0,
        lease_until = case c.step when 'notify' then t.lease_until end
      from c where`;
  const records = changes.map(({ row, change }) => ({
    row,
    change: { ...change, charged: change.tokens.toString(), tokens: undefined },
  }));
  const written = await sql<Fenced[]>`
    with c as (
      select * from jsonb_to_recordset(${fencedRecords(sql, records)}) as c (account_id text, id text, fence bigint,
        step text, next_step_at timestamptz, completed_at timestamptz, charged bigint)
    ), ended as (
      ${ended} t.account_id = c.account_id and t.id = c.id and t.fence = c.fence and t.step = 'settle'
      returning t.*, c.completed_at, c.charged
    )
    update generation.generations g
    set status = ended.settling, completed_at = ended.completed_at, tokens = ended.charged, output = coalesce(ended.output, '[]'),
      error_code = ended.error_code, error_message = ended.error_message,
      progress = case ended.settling when 'success' then 100 else ended.progress end,
      upstream = ended.upstream, submit_token = ended.submit_token, submitted_at = ended.submitted_at,
      upstream_id = ended.upstream_id
    from ended
    where g.account_id = ended.account_id and g.id = ended.id
    returning g.account_id, g.id, ended.fence`;
  return whichWritten(changes, written);
}

/** Nothing is left to do. */
export async function deleteTaskIfHeld(sql: Db, row: GenerationRow): Promise<void> {
  await sql`
    delete from generation.tasks
    where account_id = ${row.accountId} and id = ${row.id} and step = ${row.step} and fence = ${row.fence.toString()}`;
}
