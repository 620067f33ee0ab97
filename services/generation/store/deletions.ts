/** Updates of generation.generations for a deletion by the account: first recorded, then carried out. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { eraseUpstreamIds } from "./submits.ts";

/**
 * Records the deletion and makes step `delete` due; raises the fence, which takes the row from its worker. False if it
 * has not ended, or was deleted before.
 */
export async function deleteGenerationIfEnded(
  sql: Db,
  { accountId, id }: Pick<GenerationRow, "accountId" | "id">,
  at: Date,
): Promise<boolean> {
  const result = await sql`
    update generation.generations
    set deleted_at = ${at}, step = 'delete', next_step_at = ${at}, lease_until = null, failures = 0, fence = fence + 1
    where account_id = ${accountId} and id = ${id} and deleted_at is null
      and status in ('success', 'failed', 'canceled')`;
  return result.count === 1;
}

/**
 * Takes the client's content out of a deleted row and ends its step, unless the worker has lost the row. The names of its
 * upstream jobs go with the last step: until then a job may have to be found.
 */
export async function eraseGenerationIfHeld(
  sql: Db,
  row: GenerationRow,
  next: Pick<GenerationRow, "step" | "nextStepAt">,
): Promise<void> {
  const names = next.step === "done" ? sql`, upstream_id = null, submit_token = null` : sql``;
  const ended = sql`
    update generation.generations
    set input = '{}', defaulted = '{}', output = '[]', error_message = null,
      step = ${next.step}, next_step_at = ${next.nextStepAt}, lease_until = null, failures = 0 ${names}
    where account_id = ${row.accountId} and id = ${row.id} and step = ${row.step} and fence = ${row.fence.toString()}`;
  if (next.step === "done") {
    await sql`with erased as (${ended} returning account_id, id) ${eraseUpstreamIds(sql)}`;
  } else await ended;
}
