/** Steps `reserve` and `void`: undo a create that was not acknowledged; first the row, then its hold. */
import type { Deps } from "../../deps.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { holdOf } from "../../domain/hold.ts";

/** From here on the hold's attempt number is spent, so that a reserve that is still under way is refused. */
export function undoCreate(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  return deps.writes.update(row, { step: "void" });
}

export async function releaseVoided(deps: Deps, row: GenerationRow): Promise<undefined> {
  await deps.billing.release({ hold: holdOf(row) });
  await deps.writes.update(row, { nextStepAt: null, leaseUntil: null });
}
