/** What became of a submit: its job is recorded, looked for, or canceled where nobody needs it. */
import { addMs } from "#runtime/clock.ts";
import { submitBegunAt } from "../../domain/waits.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Found } from "../../providers/provider.ts";
import { cancelJob, findJob } from "../../upstreams/jobs.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import { resolveImage } from "./poll.ts";
import {
  SUBMIT_UNKNOWN,
  decideFailed,
  notConfigured,
  rescheduleAfterFailure,
  type Deps,
  type StepRunner,
  whenLate,
  writeKnown,
} from "./step.ts";

/** Looks up a submit whose answer was lost; it is never sent again (docs/architecture.md, invariant 6). */
export const resolveSubmit: StepRunner = async (deps, row, signal) => {
  const isLate = deps.clock.now() > deps.catalog.processingDeadline(row, submitBegunAt(row));
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
};

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
    deadlineAt: deps.catalog.processingDeadline(row, now),
    nextStepAt: addMs(now, FIRST_POLL_MS),
  };
  // A lost row does not end this: nobody else knows the job.
  const accept = () => deps.writes.accept(row, acceptance);
  if (await writeKnown(deps, row, deps.deadline, accept)) return;
  // The task has another job, or has ended.
  const current = await deps.find(row.accountId, row.id);
  const isLost = current && current.settling !== null && current.settling !== "success";
  if (!current || (!isLost && current.upstreamId === upstreamId)) return;
  const isStopped = await cancelJob(deps.clock, upstream.provider, upstreamId).catch(() => false);
  // Without the job's id, which may carry what was asked.
  const fields = { generation_id: row.id, account_id: row.accountId, upstream: upstream.name };
  if (isStopped) deps.log.warn(fields, "unneeded upstream job canceled");
  else deps.log.error({ ...fields, alert: true }, "unneeded upstream job could not be canceled");
}
