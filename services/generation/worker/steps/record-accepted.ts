/** Records that an upstream has accepted the task, and begins polling. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { findGeneration } from "../../store/generations.ts";
import { cancelJob } from "../../upstreams/cancel-job.ts";
import type { Upstream } from "../../upstreams/index.ts";
import { processingDeadlineOf } from "../step.ts";

const FIRST_POLL_MS = 500;

/**
 * The job's id is stored even if this worker has lost the row. In that case the job is canceled if the task has
 * meanwhile been decided otherwise than success.
 */
export async function recordAccepted(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  upstreamId: string,
): Promise<undefined> {
  const now = deps.clock.now();
  await deps.writes.insertSubmit({
    accountId: row.accountId,
    generationId: row.id,
    submitToken: row.submitToken ?? "",
    credential: upstream.credential,
    upstreamId,
    createdAt: now,
  });
  const isRecorded = await deps.writes.update(row, {
    step: "poll",
    status: "processing",
    upstreamId,
    failures: 0,
    startedAt: row.startedAt ?? now,
    deadlineAt: processingDeadlineOf(deps, row, now),
    nextStepAt: addMs(now, FIRST_POLL_MS),
    leaseUntil: null,
  });
  if (isRecorded) return;
  const current = await findGeneration(deps.sql, row.accountId, row.id);
  if (!current || current.settling === null || current.settling === "success") return;
  await cancelJob(deps.clock, upstream.provider, upstreamId);
}
