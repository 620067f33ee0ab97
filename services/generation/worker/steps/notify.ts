/** Step `notify`: sends the end of a generation to delivery by RPC, because delivery did not confirm the event. */
import type { Deps } from "../../deps.ts";
import { finishedGeneration } from "../../domain/generation.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { confirmHandoverIfWaiting } from "../../store/generations.ts";

export async function notify(deps: Deps, row: GenerationRow): Promise<undefined> {
  await deps.delivery.handOver({ finished: finishedGeneration(row) });
  await confirmHandoverIfWaiting(deps.sql, row.accountId, row.id, deps.clock.now());
}
