/** Step `queue`: fails a task that has waited for a slot until its deadline. */
import type { Deps } from "./deps.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { decideFailed, enqueue, queueDeadlineOf } from "./step.ts";

export async function queue(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  if (deps.clock.now() < queueDeadlineOf(deps, row)) return enqueue(deps, row);
  const failure = row.kind === "video" ? FAILURES.neverStarted : FAILURES.tookTooLong;
  return decideFailed(deps, row, failure);
}
