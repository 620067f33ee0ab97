/** Records that an upstream has accepted the task, and begins polling. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "./deps.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import { eraseUpstreamIdsIfErased } from "../../store/submits.ts";
import { processingDeadlineOf } from "./step.ts";
import { writeKnown } from "./write-known.ts";
import { cancelUnlessNeeded } from "./cancel-unless-needed.ts";

const FIRST_POLL_MS = 500;

/** The job's id is stored even if this worker has lost the row; then the job is canceled if nobody needs it. */
export async function recordAccepted(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  upstreamId: string,
): Promise<undefined> {
  const now = deps.clock.now();
  const job = {
    accountId: row.accountId,
    generationId: row.id,
    submitToken: row.submitToken ?? "",
    credential: upstream.credential,
    upstreamId,
    createdAt: now,
  };
  // A lost row does not end this: the worker that has it now finds the job here.
  await writeKnown(deps, row, deps.deadline, () => deps.writes.insertSubmit(job));
  const isRecorded = await deps.writes.accept(row, {
    upstreamId,
    startedAt: now,
    deadlineAt: processingDeadlineOf(deps, row, now),
    nextStepAt: addMs(now, FIRST_POLL_MS),
  });
  if (isRecorded) return;
  await eraseUpstreamIdsIfErased(deps.sql, row.accountId, row.id);
  await cancelUnlessNeeded(deps, row, upstream, upstreamId);
}
