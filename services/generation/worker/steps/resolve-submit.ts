/** What became of a submit: its job is recorded, looked for, or canceled where nobody needs it. */
import { addMs } from "#runtime/clock.ts";
import { backoffMs, submitBegunAt } from "../../domain/waits.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Found } from "../../providers/provider.ts";
import { cancelJob, findJob } from "../../upstreams/jobs.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import { resolveImage } from "./poll.ts";
import {
  SUBMIT_UNKNOWN,
  decideFailed,
  failureOf,
  notConfigured,
  processingDeadlineOf,
  rescheduleAfterFailure,
  type Deps,
  whenLate,
  writeKnown,
} from "./step.ts";

/** Looks up a submit whose answer was lost; it is never sent again (docs/architecture.md, invariant 6). */
export async function resolveSubmit(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const isLate = deps.clock.now() > processingDeadlineOf(deps, row, submitBegunAt(row));
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  if (!upstream) {
    if (isLate) return decideFailed(deps, row, FAILURES.tookTooLong);
    throw notConfigured(row);
  }
  if (row.kind === "image" && upstream.provider.image) {
    if (!upstream.provider.findsImages) return resolveImage(deps, row, signal);
    const about = { generation_id: row.id, account_id: row.accountId };
    deps.log.info(about, "image call cut off: asking the upstream for its job");
  }
  const found = await findJob(deps, row, upstream, signal).catch(
    whenLate<Found>(isLate, { kind: "unknown" }),
  );
  if (found.kind === "found") return recordAccepted(deps, row, upstream, found.upstreamId);
  return isLate
    ? decideFailed(deps, row, FAILURES.tookTooLong)
    : rescheduleAfterFailure(deps, row, SUBMIT_UNKNOWN);
}

/** The pauses between look-ups; together longer than a submit can be under way. */
const LOOK_UP_AGAIN_AFTER_MS = [1_000, 4_000, 16_000];

/**
 * Leaves a submit whose answer was lost to the next look-up, or looks it up here if others have taken the row. A worker
 * that lost its row while it sent was paused, or cut off from Postgres. The task may have been ended before
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

const FIRST_POLL_MS = 500;

/** By the submit token, even if this worker has lost the row. A job that nobody needs is canceled. */
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

const MAX_TRIES = 3;

/** Cancels a job that could not be recorded, because its task has another job or has ended. */
async function cancelUnlessNeeded(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  upstreamId: string,
): Promise<undefined> {
  const current = await deps.find(row.accountId, row.id);
  const isLost = current && current.settling !== null && current.settling !== "success";
  if (!current || (!isLost && current.upstreamId === upstreamId)) return;
  const isStopped = await cancelSurely(deps, upstream, upstreamId);
  // Without the job's id, which may carry what was asked.
  const fields = { generation_id: row.id, account_id: row.accountId, upstream: upstream.name };
  if (isStopped) deps.log.warn(fields, "unneeded upstream job canceled");
  else deps.log.error({ ...fields, alert: true }, "unneeded upstream job could not be canceled");
}

/** Nobody else knows the job, which costs the operator what it costs. */
async function cancelSurely(deps: Deps, upstream: Upstream, upstreamId: string): Promise<boolean> {
  for (let failures = 0; failures < MAX_TRIES; failures++) {
    if (failures > 0) await deps.clock.sleep(backoffMs(failures, deps.random()));
    const answer = cancelJob(deps.clock, upstream.provider, upstreamId);
    const isStopped = await answer.catch(() => undefined);
    if (isStopped !== undefined) return isStopped;
  }
  return false;
}
