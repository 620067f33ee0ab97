/** The steps of a generation whose end is decided. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { FAILURES } from "../../domain/failures.ts";
import {
  finishedEvent,
  finishedGeneration,
  holdOf,
  inputFromJson,
  logFields,
  stepAfterNotify,
  type GenerationRow,
} from "../../domain/generation.ts";
import { storedUrls } from "../../domain/input-urls.ts";
import { chargeFor } from "../../domain/plan.ts";
import {
  deleteTaskIfLeased,
  eraseGenerationIfLeased,
  failSuccessIfLeased,
} from "../../store/ends.ts";
import { stopJob } from "../../upstreams/jobs.ts";
import { SUBMIT_UNKNOWN, rescheduleAfterFailure, type Deps, type StepRunner } from "./step.ts";

/** What billing says of a hold that it does not have any more: it was restored to an earlier time, or released by a fault. */
const HOLD_LOST = new Set<unknown>([ErrorReason.NOT_FOUND, ErrorReason.HOLD_RESOLVED]);

/** Step `settle`: carries out a decision: money, terminal status, event (docs/architecture.md, invariant 5). */
export async function settle(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  const { settling } = row;
  if (settling === null) throw new Error("a row in step settle has no decision");
  const input = inputFromJson(row.kind, row.input);
  const charged = chargeFor(row.tokens, input, row.output.length);
  const server = await deps.rowServer.started();
  const hold = holdOf(row);
  const move = { hold, rowServerStartedUs: server };
  if (settling === "success") {
    try {
      await deps.billing.capture({ ...move, tokens: charged });
    } catch (error) {
      if (!HOLD_LOST.has(reasonOf(error))) throw error;
      deps.log.error({ err: error, ...logFields(row) }, "the hold is lost: the generation fails");
      await failSuccessIfLeased(deps.sql, row, deps.clock.now(), FAILURES.notEnded);
      return undefined;
    }
  } else {
    await deps.billing.release(move);
    if (storedUrls(input).length > 0) await deps.delivery.releaseFiles(hold);
  }
  const now = deps.clock.now();
  const after = stepAfterNotify(row, settling);
  const isNotified = typeof row.input["webhook_url"] === "string";
  const ended = await deps.writes.end(row, {
    step: isNotified ? "notify" : after,
    nextStepAt: now,
    completedAt: now,
    tokens: settling === "success" ? charged : row.tokens,
    server,
  });
  if (!ended) {
    deps.rowServer.forget();
    return undefined;
  }
  deps.completions.complete(row.id);
  await recordDuration(deps, ended);
  deps.metrics.ended.inc({ kind: row.kind, status: settling, code: ended.errorCode ?? "" });
  deps.bus.publish(generationFinished, finishedEvent(ended));
  const { model, status, errorCode } = ended;
  const ms = now.getTime() - row.createdAt.getTime();
  const fields = { ...logFields(ended), model, status, error_code: errorCode, ms };
  deps.log.info(fields, "generation ended");
  return isNotified ? ended : undefined;
}

/** Records the duration for the estimated progress of later videos; a failure is ignored. */
async function recordDuration(deps: Deps, row: GenerationRow): Promise<void> {
  const { kind, status, mode, model, startedAt, completedAt } = row;
  if (kind !== "video" || status !== "success" || !startedAt || !completedAt) return;
  const tookMs = completedAt.getTime() - startedAt.getTime();
  await deps.typicalTimes.record(mode, model, tookMs).catch(() => undefined);
}

/** Step `notify`: hands the end of a generation to delivery, which sends its webhook. */
export async function notify(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  await deps.delivery.acceptEnd({ finished: finishedGeneration(row) });
  const step = stepAfterNotify(row);
  if (step === "stop") return deps.writes.update(row, { step, nextStepAt: deps.clock.now() });
  await deleteTaskIfLeased(deps.sql, row);
  return undefined;
}

/** Step `delete`: delivery first, because the step is repeated until the row is changed. */
export const deleteContent: StepRunner = async (deps, row, signal) => {
  const { accountId, id: generationId } = row;
  await deps.delivery.deleteGeneration({ accountId, generationId }, { signal });
  // An upstream job that nobody wants any more may be left.
  const next = stepAfterNotify(row);
  await eraseGenerationIfLeased(deps.sql, row, next, deps.clock.now());
  return undefined;
};

const TRY_FOR_MS = 20 * 60 * 1000;

/** Step `stop`: after an end without success, cancels an upstream job and discards outputs. */
export const stop: StepRunner = async (deps, row, signal) => {
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  const isOver = deps.clock.now() > addMs(row.completedAt ?? row.createdAt, TRY_FOR_MS);
  // A job that was accepted after the end, and so has no deadline, or whose submit was lost.
  const mayHaveJob = row.upstreamId === null ? row.status === "canceled" : row.deadlineAt === null;
  if (upstream && mayHaveJob && !isOver && !(await stopJob(deps, row, upstream, signal))) {
    return rescheduleAfterFailure(deps, row, SUBMIT_UNKNOWN);
  }
  // Last, so that a delivery which is down does not use up the time in which the job can be found and canceled.
  await deps.delivery.discardOutput({ accountId: row.accountId, generationId: row.id }, { signal });
  if (row.deletedAt) await eraseGenerationIfLeased(deps.sql, row, "done", deps.clock.now());
  else await deleteTaskIfLeased(deps.sql, row);
  return undefined;
};
