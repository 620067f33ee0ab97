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
    account_id: row.account_id,
    generation_id: row.id,
    submit_token: row.submit_token ?? "",
    credential: upstream.credential,
    upstream_id: upstreamId,
    created_at: now,
  });
  const isRecorded = await deps.writes.update(row, {
    step: "poll",
    status: "processing",
    upstream_id: upstreamId,
    failures: 0,
    started_at: row.started_at ?? now,
    deadline_at: processingDeadlineOf(deps, row, now),
    next_step_at: addMs(now, FIRST_POLL_MS),
    lease_until: null,
  });
  if (isRecorded) return;
  const current = await findGeneration(deps.sql, row.account_id, row.id);
  if (!current || current.settling === null || current.settling === "success") return;
  await cancelJob(deps.clock, upstream.provider, upstreamId);
}
