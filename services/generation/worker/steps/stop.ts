/**
 * Step `stop`: removes what a generation that ended without success may have left: stored outputs, and the upstream job
 * whose acceptance came after the end, or is not known of a video that was canceled.
 */
import { addMs } from "#runtime/clock.ts";
import { isTerminal } from "#vocabulary/generation-status.ts";
import type { Deps } from "./deps.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { cancelJob } from "../../upstreams/cancel-job.ts";
import { findJob } from "../../upstreams/find-job.ts";
import { eraseGenerationIfHeld } from "../../store/deletions.ts";
import { deleteTaskIfHeld } from "../../store/ends.ts";
import { rescheduleAfterFailure, SUBMIT_UNKNOWN } from "./step.ts";

const TRY_FOR_MS = 20 * 60 * 1000;

export async function stop(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<undefined> {
  if (!isTerminal(row.status)) throw new Error("a row in step stop has not ended");
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  const isOver = deps.clock.now() > addMs(row.completedAt ?? row.createdAt, TRY_FOR_MS);
  const isAcceptedLate = row.upstreamId !== null && row.deadlineAt === null;
  const mayHaveJob = row.status === "canceled" && row.upstreamId === null && !isOver;
  if (upstream && (isAcceptedLate || mayHaveJob)) {
    const found = await findJob(deps, row, upstream, signal);
    if (found.kind === "unknown") return rescheduleAfterFailure(deps, row, SUBMIT_UNKNOWN);
    await cancelJob(deps.clock, upstream.provider, found.upstreamId);
  }
  // Last, so that a delivery which is down does not use up the time in which the job can be found and canceled.
  await deps.delivery.discardOutput({ accountId: row.accountId, generationId: row.id }, { signal });
  if (row.deletedAt) await eraseGenerationIfHeld(deps.sql, row, "done", deps.clock.now());
  else await deleteTaskIfHeld(deps.sql, row);
}
