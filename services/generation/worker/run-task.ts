/** Runs the steps of one claimed generation, one after the other, under a lease that it renews. */
import { ENDED } from "#runtime/abort.ts";
import { addMs } from "#runtime/clock.ts";
import { timed } from "#runtime/metrics/timed.ts";
import { inSpan } from "#runtime/tracing/tracer.ts";
import { contextOf, inContext } from "#runtime/work-context.ts";
import type { Deps } from "./steps/deps.ts";
import type { GenerationRow, Step } from "../domain/generation.ts";
import { extendLeaseIfHeld } from "../store/steps.ts";
import { LEASE_MS } from "./slots/slots.ts";
import { enqueue, reschedule, rescheduleAfterFailure, type StepRunner } from "./steps/step.ts";
import { deleteContent, notify } from "./steps/after-end.ts";
import { poll } from "./steps/poll.ts";
import { settle } from "./steps/settle.ts";
import { stop } from "./steps/stop.ts";
import { queue, submit } from "./steps/submit.ts";

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
    while (row && !shutdown.aborted) {
      row = await runStep(deps, row, signal);
    }
    // A token that was not sent must not be left, because the submit would be looked up.
    if (row) await (row.isUnsent ? enqueue(deps, row) : reschedule(deps, row, 0));
  } catch (error) {
    if (!row || ended.signal.aborted) return;
    deps.log.warn(
      { err: error, generation_id: row.id, account_id: row.accountId, step: row.step },
      "step failed, retrying",
    );
    await rescheduleAfterFailure(deps, row, error);
  } finally {
    ended.abort(ENDED);
    await leaseKept;
  }
}

/** Runs the row's step, and counts it with its duration. */
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
    const isHeld = await extendLeaseIfHeld(deps.sql, row, leaseUntil).catch(() => true);
    if (!isHeld) ended.abort();
  }
}
