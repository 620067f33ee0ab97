/** Works on one claimed generation: step after step while there is something to do now, under a lease it keeps. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../deps.ts";
import { backoffMs } from "../domain/backoff.ts";
import type { GenerationRow, Step } from "../domain/generation.ts";
import { extendLeaseIfHeld } from "../store/steps.ts";
import { LEASE_MS } from "./claim-work.ts";
import type { StepRunner } from "./step.ts";
import { notify } from "./steps/notify.ts";
import { poll } from "./steps/poll.ts";
import { queue } from "./steps/queue.ts";
import { settle } from "./steps/settle.ts";
import { stop } from "./steps/stop.ts";
import { submit } from "./steps/submit.ts";
import { releaseVoided, undoCreate } from "./steps/undo-create.ts";

const RENEW_EVERY_MS = 3_000;
/** A reason given is an error not made: jobs are many. */
const OVER = "over";

const RUNNERS: Partial<Record<Step, StepRunner>> = {
  reserve: undoCreate,
  void: releaseVoided,
  queue,
  submit,
  poll,
  settle,
  notify,
  stop,
};

/** Ends when the row waits for something, is done, or belongs to another worker. */
export async function runJob(
  deps: Deps,
  claimed: GenerationRow,
  shutdown: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, shutdown]);
  const kept = keepLease(deps, claimed, over);
  let row: GenerationRow | undefined = claimed;
  try {
    while (row && !shutdown.aborted) {
      row = await RUNNERS[row.step]?.(deps, row, signal);
    }
    if (row) await tryAgain(deps, row, 0);
  } catch (error) {
    if (!row || over.signal.aborted) return;
    deps.log.warn(
      { err: error, generation_id: row.id, account_id: row.account_id, step: row.step },
      "step failed; it is tried again",
    );
    await tryAgain(deps, row, backoffMs(row.failures, deps.random()));
  } finally {
    over.abort(OVER);
    await kept;
  }
}

async function tryAgain(deps: Deps, row: GenerationRow, afterMs: number): Promise<void> {
  await deps.writes.update(row, {
    failures: row.failures + (afterMs > 0 ? 1 : 0),
    next_step_at: addMs(deps.clock.now(), afterMs),
    lease_until: null,
  });
}

/** Renews the lease until `over` is aborted; aborts it where the row was lost. */
async function keepLease(deps: Deps, row: GenerationRow, over: AbortController): Promise<void> {
  while (!over.signal.aborted) {
    await deps.clock.sleep(RENEW_EVERY_MS, over.signal);
    if (over.signal.aborted) return;
    const leaseUntil = addMs(deps.clock.now(), LEASE_MS);
    const held = await extendLeaseIfHeld(deps.sql, row, leaseUntil).catch(() => true);
    if (!held) over.abort();
  }
}
