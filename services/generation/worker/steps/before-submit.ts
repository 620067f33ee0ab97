/** The steps of a generation that no upstream has been asked for. */
import type { Deps } from "./deps.ts";
import { deletionOfUndone } from "../../domain/deadlines.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { releaseHeld } from "../../holds/release-held.ts";
import { deleteCreateIfVoid } from "../../store/creates.ts";
import { FAILURES } from "../../domain/failures.ts";
import { decideFailed, enqueue, queueDeadlineOf } from "./step.ts";

/**
 * Step `reserve`: undoes a create that was not acknowledged. From here on the hold's attempt number is spent, so that a reserve that is still under way is
 * refused.
 */
export function undoCreate(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  return deps.writes.update(row, { step: "void" });
}

/**
 * Step `void`: releases the hold and the files, and once more before the row is deleted: its attempt number can then be
 * used again.
 */
export async function releaseVoided(deps: Deps, row: GenerationRow): Promise<undefined> {
  await releaseHeld(deps, row);
  const deleteAt = deletionOfUndone(row);
  if (deps.clock.now() >= deleteAt) await deleteCreateIfVoid(deps.sql, row);
  else await deps.writes.update(row, { nextStepAt: deleteAt, leaseUntil: null });
}

/** Step `queue`: fails a task that has waited for a slot until its deadline. */
export async function queue(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  if (deps.clock.now() < queueDeadlineOf(deps, row)) return enqueue(deps, row);
  const failure = row.kind === "video" ? FAILURES.neverStarted : FAILURES.tookTooLong;
  return decideFailed(deps, row, failure);
}
