/** Tasks of generations that a test or a benchmark has inserted. */
import type { Sql } from "#runtime/postgres/connect.ts";

/**
 * Gives each unfinished generation of these accounts, or of all, a task that is due in a day; `poll` is of a job at the
 * simulator.
 */
export async function insertTasks(
  sql: Sql,
  step: "queue" | "poll",
  accounts?: string | string[],
): Promise<void> {
  const isRunning = step === "poll";
  await sql`
    insert into generation.tasks (account_id, id, kind, mode, model, tokens, attempt, step, next_step_at, created_at,
      upstream, credential, upstream_model, submit_token, upstream_id, deadline_at)
    select account_id, id, kind, mode, model, tokens, attempt, ${step}, created_at + interval '24 h', created_at,
      case when ${isRunning} then 'simulator' end, case when ${isRunning} then 'simulator' end,
      case when ${isRunning} then 'simulator' end, case when ${isRunning} then 'token-' || id end,
      case when ${isRunning} then 'job-' || id end,
      case when ${isRunning} then created_at + interval '20 min' end
    from generation.generations where completed_at is null
      ${accounts === undefined ? sql`` : sql`and account_id = any(${[accounts].flat()})`}
    on conflict do nothing`;
}
