/** What a step of a job is, and the ways in which it can end. */
import { addMs } from "#runtime/clock.ts";
import type { Output } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { backoffMs } from "../domain/backoff.ts";
import { queueDeadline } from "../domain/deadlines.ts";
import { outputToJson } from "../domain/generation.ts";
import type { GenerationRow } from "../domain/generation.ts";
import type { Failure } from "../providers/provider.ts";
import type { StepChange } from "../store/steps.ts";

/** The row to go on with at once, or undefined where there is nothing more to do now. */
export type StepRunner = (
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
) => Promise<GenerationRow | undefined>;

/** A row that has no place at an upstream, and no submit under way. */
export const NO_SLOT = {
  submit_token: null,
  provider: null,
  credential: null,
  upstream_model: null,
} as const satisfies StepChange;

/** Lets go of the row until `afterMs` from now. */
export async function reschedule(
  deps: Deps,
  row: GenerationRow,
  afterMs: number,
  change: StepChange = {},
): Promise<undefined> {
  const next_step_at = addMs(deps.clock.now(), afterMs);
  await deps.writes.update(row, { ...change, next_step_at, lease_until: null });
}

/** The same after a failure: later, the more there were. */
export function rescheduleAfterFailure(
  deps: Deps,
  row: GenerationRow,
  change: StepChange = {},
): Promise<undefined> {
  const afterMs = backoffMs(row.failures, deps.random());
  return reschedule(deps, row, afterMs, { ...change, failures: row.failures + 1 });
}

/** Puts the row into its queue, where it waits for a place, at the longest until its deadline. */
export async function enqueue(deps: Deps, row: GenerationRow): Promise<undefined> {
  const deadline = queueDeadline(row, deps.catalog.deadlines(row.kind, row.model));
  const change = { ...NO_SLOT, step: "queue", next_step_at: deadline, lease_until: null } as const;
  if (await deps.writes.update(row, change)) deps.wake();
}

export function decideFailed(
  deps: Deps,
  row: GenerationRow,
  failure: Failure,
): Promise<GenerationRow | undefined> {
  return deps.writes.decide(row, {
    settling: "failed",
    output: [],
    error_code: failure.code,
    error_message: failure.message,
  });
}

export function decideSuccess(
  deps: Deps,
  row: GenerationRow,
  output: readonly Output[],
): Promise<GenerationRow | undefined> {
  return deps.writes.decide(row, {
    settling: "success",
    output: outputToJson(output),
    error_code: null,
    error_message: null,
  });
}

export function decideCanceled(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  const none = { output: [], error_code: null, error_message: null };
  return deps.writes.decide(row, { settling: "canceled", ...none });
}
