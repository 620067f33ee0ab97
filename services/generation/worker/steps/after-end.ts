/** The steps of an ended generation that delivery has a part in. */
import type { Deps } from "./deps.ts";
import { isTerminal } from "#vocabulary/generation-status.ts";
import {
  finishedGeneration,
  type GenerationRow,
  stepAfterNotify,
} from "../../domain/generation.ts";
import { deleteTaskIfHeld } from "../../store/ends.ts";
import { eraseGenerationIfHeld } from "../../store/deletions.ts";

/** Step `notify`: hands the end of a generation to delivery, which sends its webhook. */
export async function notify(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  if (!isTerminal(row.status)) throw new Error("a row in step notify has not ended");
  await deps.delivery.acceptEnd({ finished: finishedGeneration(row) });
  const step = stepAfterNotify(row, row.status);
  if (step === "stop") return deps.writes.update(row, { step, nextStepAt: deps.clock.now() });
  await deleteTaskIfHeld(deps.sql, row);
  return undefined;
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
