/** Records that an upstream has accepted the task, and begins polling. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "./deps.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import { processingDeadlineOf } from "./step.ts";
import { writeKnown } from "./write-known.ts";
import { cancelUnlessNeeded } from "./cancel-unless-needed.ts";

const FIRST_POLL_MS = 500;

/** By the token of its submit, even if this worker has lost the row; a job that nobody needs is canceled. */
export async function recordAccepted(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  upstreamId: string,
): Promise<undefined> {
  const now = deps.clock.now();
  const acceptance = {
    upstreamId,
    startedAt: now,
    deadlineAt: processingDeadlineOf(deps, row, now),
    nextStepAt: addMs(now, FIRST_POLL_MS),
  };
  // A lost row does not end this: nobody else knows the job.
  const accept = () => deps.writes.accept(row, acceptance);
  if (await writeKnown(deps, row, deps.deadline, accept)) return;
  await cancelUnlessNeeded(deps, row, upstream, upstreamId);
}
