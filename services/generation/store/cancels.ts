/** The owner's cancel in generation.generations: a decision like any other, made where none stands yet. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { COLUMNS } from "./generations.ts";

/** Takes the row from whichever worker has it: a submit in flight finds that its fence is gone. */
export async function cancelGenerationIfPending(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<GenerationRow | undefined> {
  return decideCanceled(sql, row, at, sql`status = 'pending'`);
}

/** After the upstream has certainly stopped the job. */
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
    where account_id = ${row.account_id} and id = ${row.id} and settling is null and ${isOpen}
    returning ${sql(COLUMNS)}`;
  return canceled;
}

/** Remembers the wish: where the upstream later says that it stopped, that was it. */
export async function requestCancelIfProcessing(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<boolean> {
  const result = await sql`
    update generation.generations set cancel_requested_at = ${at}
    where account_id = ${row.account_id} and id = ${row.id} and settling is null and status = 'processing'`;
  return result.count === 1;
}
