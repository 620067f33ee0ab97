/** The RPCs of operators: on tasks, on holds, and on how long an account keeps the content of its generations. */
import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Status, TaskSchema, type Task } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { generationStatusName, generationStatusOf, kindOf, modeOf } from "#vocabulary/names.ts";
import { FAILURES } from "../domain/failures.ts";
import { logFields, type GenerationRow } from "../domain/generation.ts";
import { compareHolds, releaseCutOff } from "../holds/holds.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { settled } from "./read-generations.ts";
import { notFound } from "./refusals.ts";
import { endTaskIfOpen } from "../store/ends.ts";
import { findRetention, setRetention as storeRetention } from "../store/content-retention.ts";
import { findTask, listTasks as listRows, makeDueIfUnfinished } from "../store/tasks.ts";
import { stopJob } from "../upstreams/jobs.ts";

/** Without an account the task is looked for in all accounts. */
async function requireTask(
  { sql }: Deps,
  { generationId, accountId }: { generationId: string; accountId?: string | undefined },
): Promise<GenerationRow> {
  const row = await findTask(sql, generationId, accountId);
  if (!row) throw notFound(generationId);
  return row;
}

function taskEnded(row: GenerationRow): Error {
  return refusal({
    reason: ErrorReason.ALREADY_FINISHED,
    message: `${row.id} has ended or is about to end: ${row.settling ?? row.status}`,
  });
}

export function taskRpcs(deps: Deps) {
  return {
    /** Errors: NOT_FOUND. */
    async getTask(request) {
      return { task: toTask(await requireTask(deps, request)) };
    },
    /** Lists tasks of all accounts unless one is named, and unfinished ones unless a status is named. Errors: none. */
    async listTasks({ accountId, status, model, createdAfter, limit }) {
      const rows = await listRows(deps.sql, {
        accountId,
        status: generationStatusName(status),
        model,
        createdAfter: createdAfter ? timestampDate(createdAfter) : new Date(0),
        limit,
      });
      return { tasks: rows.map(toTask) };
    },
    /** A worker that holds the row keeps it. Errors: NOT_FOUND; ALREADY_FINISHED. */
    async makeTaskDue(request) {
      const row = await requireTask(deps, request);
      const due = await makeDueIfUnfinished(deps.sql, row, deps.clock.now());
      if (!due) throw taskEnded(await requireTask(deps, request));
      deps.wake();
      deps.log.warn(logFields(row), "made due by an operator");
      return { task: toTask(due) };
    },
    /**
     * Decides the failure whatever a worker is doing with the task, restores the Tokens as every other end does, and
     * cancels the upstream job if it can be found. Errors: NOT_FOUND; ALREADY_FINISHED (an end is decided); UNAVAILABLE
     * (failed, but the Tokens are not restored yet).
     */
    async failTask(request, context) {
      using waiter = deps.completions.waiterOf(request.generationId);
      const row = await requireTask(deps, request);
      const now = deps.clock.now();
      const failure = FAILURES.notEnded;
      const failed = await endTaskIfOpen(deps.sql, row, now, failure);
      if (!failed) throw taskEnded(await requireTask(deps, request));
      deps.log.warn(logFields(row), "failed by an operator");
      deps.wake();
      const canceled = cancelUpstreamJob(deps, failed).catch((error: unknown) => {
        deps.log.warn({ err: error, ...logFields(row) }, "upstream job not canceled");
      });
      try {
        return { task: toTask(await settled(deps, waiter, failed, context)) };
      } finally {
        await canceled;
      }
    },
    /** Also releases holds that nothing will resolve. Fails if billing cannot be reached; may be repeated. */
    async reconcile({ release }) {
      const { holds, generations, discrepancies } = await compareHolds(deps);
      const found = [];
      for (const discrepancy of discrepancies) {
        const released = release && discrepancy.kind === "hold_without_generation";
        if (released) await releaseCutOff(deps, discrepancy);
        found.push({ ...discrepancy, released });
      }
      return { holds: BigInt(holds), generations: BigInt(generations), discrepancies: found };
    },
    async getRetention({ accountId }) {
      return { days: await findRetention(deps.sql, accountId) };
    },
    async setRetention({ accountId, days = null }) {
      await storeRetention(deps.sql, accountId, days);
      return {};
    },
  } satisfies Rpcs;
}

/** A submit in flight is not known yet: its own worker cancels the job when it gets its answer. */
async function cancelUpstreamJob(deps: Deps, row: GenerationRow): Promise<void> {
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  if (upstream && row.submitToken !== null) await stopJob(deps, row, upstream);
}

function toTask({ errorCode: code, errorMessage, ...row }: GenerationRow): Task {
  const isDecided = row.settling !== null && row.settling !== row.status;
  return create(TaskSchema, {
    ...fieldsOf(row),
    mode: modeOf(row.mode),
    kind: kindOf(row.kind),
    status: generationStatusOf(row.status),
    ...(code === null ? {} : { error: { code, message: errorMessage ?? "" } }),
    settling: isDecided && row.settling ? generationStatusOf(row.settling) : Status.UNSPECIFIED,
  });
}
