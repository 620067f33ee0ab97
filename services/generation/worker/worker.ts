/** The worker of a process: claims due generations and runs their steps. */
import { ENDED } from "#runtime/abort.ts";
import { addMs } from "#runtime/clock.ts";
import { startDueLoop, type DueLoop } from "#runtime/loops.ts";
import { timed } from "#runtime/metrics/metrics.ts";
import type { Shutdown } from "#runtime/shutdown.ts";
import { inSpan } from "#runtime/tracing/tracer.ts";
import { contextOf, inContext } from "#runtime/work-context.ts";
import { logFields, type GenerationRow, type Step } from "../domain/generation.ts";
import { claimDueTasks, extendLeaseIfLeased } from "../store/steps.ts";
import { LEASE_MS, createClaimQueued, createBulkheads, type Bulkheads } from "./steps/slots.ts";
import { deleteContent, notify, settle, stop } from "./steps/end.ts";
import { poll } from "./steps/poll.ts";
import {
  enqueue,
  reschedule,
  rescheduleAfterFailure,
  type Deps,
  type StepRunner,
} from "./steps/step.ts";
import { queue, submit } from "./steps/submit.ts";

/** The longest pause between two claims. */
const IDLE_MS = 250;
/** After each claim: what is created or becomes due meanwhile is claimed together. */
const REST_MS = 10;

/** Runs until disposed. Any number of workers may run at the same time, in any number of processes. */
export function startWorker(deps: Deps, concurrency: number, shutdown?: Shutdown): DueLoop {
  const bulkheads = createBulkheads(concurrency);
  return startDueLoop(
    {
      name: "generations",
      concurrency,
      idleMs: IDLE_MS,
      restMs: REST_MS,
      claim: createClaimWork(deps, bulkheads),
      work: (row, signal) => runTask(deps, row, signal).finally(() => bulkheads.release(row)),
    },
    { clock: deps.clock, log: deps.log, ...(shutdown ? { shutdown } : {}) },
  );
}

const RENEW_EVERY_MS = 3_000;

const RUNNERS: Partial<Record<Step, StepRunner>> = {
  queue,
  submit,
  poll,
  settle,
  notify,
  stop,
  delete: deleteContent,
};

/** Resolves when the row has to wait, is done, or belongs to another worker. Never rejects because of a step. */
export function runTask(deps: Deps, claimed: GenerationRow, shutdown: AbortSignal): Promise<void> {
  return inContext(contextOf(claimed), () => runSteps(deps, claimed, shutdown));
}

async function runSteps(deps: Deps, claimed: GenerationRow, shutdown: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, shutdown]);
  const leaseKept = keepLease(deps, claimed, ended);
  let row: GenerationRow | undefined = claimed;
  try {
    while (row && !shutdown.aborted) row = await runStep(deps, row, signal);
    // A token that was not sent must not be left, because the submit would be looked up.
    if (row) await (row.isUnsent ? enqueue(deps, row) : reschedule(deps, row, 0));
  } catch (error) {
    if (!row || ended.signal.aborted) return;
    deps.log.warn({ err: error, ...logFields(row), step: row.step }, "step failed, retrying");
    await rescheduleAfterFailure(deps, row, error);
  } finally {
    ended.abort(ENDED);
    await leaseKept;
  }
}

function runStep(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const fields = { "media.step": row.step, "media.generation_id": row.id };
  return timed(
    () =>
      inSpan(deps.tracer, `step ${row.step}`, { kind: "internal", fields }, async () =>
        RUNNERS[row.step]?.(deps, row, signal),
      ),
    ({ status }, seconds) => {
      const outcome = status === "fulfilled" ? "done" : "failed";
      deps.metrics.stepDuration.observe({ step: row.step, outcome }, seconds);
    },
  );
}

/** Renews the lease until `ended` is aborted; aborts it if another worker has taken the row. */
async function keepLease(deps: Deps, row: GenerationRow, ended: AbortController): Promise<void> {
  while (!ended.signal.aborted) {
    await deps.clock.sleep(RENEW_EVERY_MS, ended.signal);
    if (ended.signal.aborted) return;
    const leaseUntil = addMs(deps.clock.now(), LEASE_MS);
    const isHeld = await extendLeaseIfLeased(deps.sql, row, leaseUntil).catch(() => true);
    if (!isHeld) ended.abort();
  }
}

/** Queued tasks get at most half of `limit`, so that due rows are always claimed. */
export function createClaimWork(
  deps: Deps,
  bulkheads: Bulkheads = createBulkheads(Infinity),
): (limit: number) => Promise<GenerationRow[]> {
  const claimQueued = createClaimQueued(deps);
  return async (limit) => {
    const queued = await claimQueued(Math.ceil(limit / 2), bulkheads);
    const left = limit - queued.length;
    const claim = left <= 0 ? Promise.resolve([]) : claimDue(deps, left, bulkheads);
    const due = await claim.catch((error: unknown) => {
      // The rows that were taken out of their queues are leased to this worker, which has to begin with them.
      if (queued.length === 0) throw error;
      deps.log.warn({ err: error }, "due rows could not be claimed, retrying");
      return [];
    });
    deps.metrics.taken.inc(queued.length + due.length);
    return [...queued, ...due];
  };
}

async function claimDue(deps: Deps, limit: number, bulkheads: Bulkheads): Promise<GenerationRow[]> {
  const rows = await claimDueTasks(deps.sql, deps.clock.now(), LEASE_MS, limit, bulkheads.full());
  const { kept = [], beyond = [] } = Object.groupBy(rows, (row) => {
    const { credential, step } = row;
    const isUpstreamWork = credential !== null && (step === "submit" || step === "poll");
    if (isUpstreamWork && bulkheads.free(credential) < 1) return "beyond";
    bulkheads.take(row);
    return "kept";
  });
  // A lease that cannot be released now expires by itself; the rows that were taken have to be worked on.
  await Promise.allSettled(beyond.map((row) => deps.writes.update(row, { leaseUntil: null })));
  return kept;
}
