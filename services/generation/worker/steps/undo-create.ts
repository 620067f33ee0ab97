/** Undoes a create that nobody acknowledged: void first, then its hold is given back. */
import type { Deps } from "../../deps.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { holdOf } from "../../domain/hold.ts";

/** Spends the hold's number, so that a reserve still under way comes too late. */
export function undoCreate(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  return deps.writes.update(row, { step: "void" });
}

export async function releaseVoided(deps: Deps, row: GenerationRow): Promise<undefined> {
  await deps.billing.release({ hold: holdOf(row) });
  await deps.writes.update(row, { next_step_at: null, lease_until: null });
}
