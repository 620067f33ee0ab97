/** FailTask: an operator ends an unfinished generation as failed. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isTerminal } from "#runtime/generation-status.ts";
import type { Deps } from "../deps.ts";
import { FAILURES } from "../domain/failures.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { toTask } from "../domain/task.ts";
import { failGenerationIfOpen } from "../store/tasks.ts";
import { cancelJob } from "../upstreams/cancel-job.ts";
import { findJob } from "../upstreams/find-job.ts";
import { notSettledYet } from "./refusals.ts";
import { requireTask, taskEnded } from "./require-task.ts";
import { waitForEnd } from "./wait-for-end.ts";

const SETTLE_WITHIN_MS = 10_000;

/**
 * Decides the failure whatever a worker is doing with the task, restores the Tokens as every other end does, and
 * cancels the upstream job if it can be found. Errors: NOT_FOUND; ALREADY_FINISHED (an end is decided); UNAVAILABLE
 * (failed, but the Tokens are not restored yet).
 */
export function failTask(deps: Deps): ServiceImpl<typeof GenerationService>["failTask"] {
  return async (request, context) => {
    using waiter = deps.completions.waiterOf(request.generationId);
    const row = await requireTask(deps, request);
    const now = deps.clock.now();
    const failed = await failGenerationIfOpen(deps.sql, row, FAILURES.failedByOperator, now);
    if (!failed) throw taskEnded(await requireTask(deps, request));
    deps.log.warn({ generation_id: row.id, account_id: row.accountId }, "failed by an operator");
    deps.wake();
    const canceled = cancelUpstreamJob(deps, failed).catch((error: unknown) => {
      deps.log.warn({ err: error, generation_id: row.id }, "upstream job not canceled");
    });
    const ended = await waitForEnd(deps, waiter, failed, SETTLE_WITHIN_MS, context.signal);
    await canceled;
    if (!isTerminal(ended.status)) throw notSettledYet();
    return { task: toTask(ended) };
  };
}

/** A submit in flight is not known yet: its own worker cancels the job when it finds that it lost the row. */
async function cancelUpstreamJob(deps: Deps, row: GenerationRow): Promise<void> {
  const upstream = deps.upstreams.byName(row.provider ?? "");
  if (!upstream || row.submitToken === null) return;
  const found = await findJob(deps, row, upstream);
  if (found.kind === "found") await cancelJob(deps.clock, upstream.provider, found.upstreamId);
}
