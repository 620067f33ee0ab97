/** Leaves a submit whose answer was lost to the next look-up, or looks it up here if others have taken the row. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "./deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { findJob } from "../../upstreams/find-job.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import { failureOf, SUBMIT_UNKNOWN } from "./step.ts";
import { recordAccepted } from "./record-accepted.ts";

/** The pauses between look-ups; together longer than a submit can be under way. */
const LOOK_UP_AGAIN_AFTER_MS = [1_000, 4_000, 16_000];

/**
 * A worker that lost its row while it sent was paused, or cut off from Postgres. The task may have been ended before
 * the submit arrived, by an operator too, so that nobody but this worker looks for it any more.
 */
export async function leaveUnknown(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
): Promise<undefined> {
  const isHeld = await deps.writes.update(row, {
    nextStepAt: addMs(deps.clock.now(), backoffMs(row.failures, deps.random())),
    leaseUntil: null,
    ...failureOf(row, SUBMIT_UNKNOWN),
  });
  if (isHeld) return;
  const pausesMs = LOOK_UP_AGAIN_AFTER_MS.values();
  for (;;) {
    const isLast = deps.deadline.aborted;
    const found = await findJob(deps, row, upstream).catch(() => undefined);
    if (found?.kind === "found") return recordAccepted(deps, row, upstream, found.upstreamId);
    const pause = pausesMs.next();
    if (isLast || pause.done) return;
    await deps.clock.sleep(pause.value, deps.deadline);
  }
}
