/** The steps of an ended generation that delivery has a part in. */
import type { Deps } from "./deps.ts";
import { isTerminal } from "#vocabulary/generation-status.ts";
import {
  finishedGeneration,
  type GenerationRow,
  stepAfterNotify,
} from "../../domain/generation.ts";
import { confirmAcceptedIfWaiting } from "../../store/ends.ts";
import { eraseGenerationIfHeld } from "../../store/deletions.ts";

/** Step `notify`: sends the end of a generation to delivery by RPC, because delivery did not confirm the event. */
export async function notify(deps: Deps, row: GenerationRow): Promise<undefined> {
  if (!isTerminal(row.status)) throw new Error("a row in step notify has not ended");
  await deps.delivery.acceptEnd({ finished: finishedGeneration(row) });
  const step = stepAfterNotify(row, row.status);
  await confirmAcceptedIfWaiting(deps.sql, row, step, deps.clock.now());
}

/**
 * Step `delete`: takes away what a deleted generation holds. Delivery comes first: until the row is changed, the step is repeated. What delivery does twice has
 * one effect.
 */
export async function deleteContent(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<undefined> {
  if (!isTerminal(row.status)) throw new Error("a row in step delete has not ended");
  const { accountId, id: generationId } = row;
  await deps.delivery.deleteGeneration({ accountId, generationId }, { signal });
  // An upstream job that nobody wants any more may be left.
  const next = stepAfterNotify(row, row.status);
  await eraseGenerationIfHeld(deps.sql, row, next, deps.clock.now());
}
