/** Updates of generation.generations for the owner's cancel: a decision, made only if there is none yet. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { COLUMNS } from "./generations.ts";

/** Raises the fence, which takes the row from its worker. Undefined unless it is pending and undecided. */
export async function cancelGenerationIfPending(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<GenerationRow | undefined> {
  return decideCanceled(sql, row, at, sql`status = 'pending'`);
}

/** Ends the generation of a job that the upstream has certainly stopped. Undefined if an end was decided before. */
export async function cancelGenerationIfOpen(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<GenerationRow | undefined> {
  return decideCanceled(sql, row, at, sql`status in ('pending', 'processing')`);
}

async function decideCanceled(
  sql: Db,
  row: GenerationRow,
  at: Date,
  isOpen: ReturnType<Db>,
): Promise<GenerationRow | undefined> {
  const [canceled] = await sql<GenerationRow[]>`
    update generation.generations
    set settling = 'canceled', step = 'settle', failures = 0, fence = fence + 1, lease_until = null,
      next_step_at = ${at}
    where account_id = ${row.accountId} and id = ${row.id} and settling is null and ${isOpen}
    returning ${sql(COLUMNS)}`;
  return canceled;
}

/** Records the cancel request: a poll that finds the job stopped then decides canceled, not failed. */
export async function requestCancelIfProcessing(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<boolean> {
  const result = await sql`
    update generation.generations set cancel_requested_at = ${at}
    where account_id = ${row.accountId} and id = ${row.id} and settling is null and status = 'processing'`;
  return result.count === 1;
}
