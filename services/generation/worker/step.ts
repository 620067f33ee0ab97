/** What a step of a job is, and the ways in which it can end. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../deps.ts";
import { outputToJson } from "../domain/generation.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { jobOf } from "../domain/job.ts";
import type { Route } from "../providers/index.ts";
import type { Failure, LostSubmit } from "../providers/provider.ts";
import type { Output } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { decideGenerationIfOpen, updateGenerationIfHeld } from "../store/steps.ts";
import type { StepChange } from "../store/steps.ts";

/** The row to go on with at once, or undefined where there is nothing more to do now. */
export type StepRunner = (
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
) => Promise<GenerationRow | undefined>;

/** Lets go of the row until `afterMs` from now. */
export async function later(
  deps: Deps,
  row: GenerationRow,
  afterMs: number,
  change: StepChange = {},
): Promise<undefined> {
  const next_step_at = addMs(deps.clock.now(), afterMs);
  await updateGenerationIfHeld(deps.sql, row, { ...change, next_step_at, lease_until: null });
}

export function decideFailed(
  deps: Deps,
  row: GenerationRow,
  failure: Failure,
): Promise<GenerationRow | undefined> {
  return decideGenerationIfOpen(deps.sql, row, {
    settling: "failed",
    error_code: failure.code,
    error_message: failure.message,
  });
}

export function decideSuccess(
  deps: Deps,
  row: GenerationRow,
  output: readonly Output[],
): Promise<GenerationRow | undefined> {
  return decideGenerationIfOpen(deps.sql, row, {
    settling: "success",
    output: outputToJson(output),
  });
}

/** Commits what is about to be sent, before it is sent; `intended` is undefined where another worker has the row. */
export async function intendSubmit(
  deps: Deps,
  row: GenerationRow,
  provider: string,
): Promise<{ token: string; intended: GenerationRow | undefined }> {
  const token = `${row.id}.${row.fence}`;
  const change = { submit_token: token, submitted_at: deps.clock.now(), provider };
  return { token, intended: await updateGenerationIfHeld(deps.sql, row, change) };
}

/** The submit that the row's intent speaks of, as it was sent. */
export function lostSubmitOf(deps: Deps, row: GenerationRow, route: Route): LostSubmit {
  const token = row.submit_token ?? "";
  return {
    job: jobOf(row, token, deps.catalog, route),
    sentAt: row.submitted_at ?? row.created_at,
  };
}
