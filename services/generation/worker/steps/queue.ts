/** Ends a task that has waited for a place until its deadline. */
import type { Deps } from "../../deps.ts";
import { queueDeadline } from "../../domain/deadlines.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { decideFailed, enqueue } from "../step.ts";

export async function queue(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  const deadline = queueDeadline(row, deps.catalog.deadlines(row.kind, row.model));
  if (deps.clock.now() < deadline) return enqueue(deps, row);
  return decideFailed(
    deps,
    row,
    row.kind === "video" ? FAILURES.neverStarted : FAILURES.tookTooLong,
  );
}
