/** Step `delete`: takes away what a deleted generation holds: at delivery first, then in its row. */
import { isTerminal } from "#vocabulary/generation-status.ts";
import type { Deps } from "./deps.ts";
import { stepAfterNotify, type GenerationRow } from "../../domain/generation.ts";
import { eraseGenerationIfHeld } from "../../store/deletions.ts";

/** Delivery comes first: until the row is changed, the step is repeated. What delivery does twice has one effect. */
export async function deleteContent(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<undefined> {
  if (!isTerminal(row.status)) throw new Error("a row in step delete has not ended");
  const { accountId, id: generationId } = row;
  await deps.delivery.deleteGeneration({ accountId, generationId }, { signal });
  // An upstream job that nobody wants any more may be left.
  const step = stepAfterNotify(row, row.status);
  const nextStepAt = step === "done" ? null : deps.clock.now();
  await eraseGenerationIfHeld(deps.sql, row, { step, nextStepAt });
}
