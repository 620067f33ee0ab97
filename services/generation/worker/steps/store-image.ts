/** Stores an image that an upstream returned within the call, and decides success. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Source } from "../../providers/provider.ts";
import { processingDeadlineOf } from "../step.ts";
import { decideStored, storeOutput } from "./store-output.ts";
import type { StoreResult } from "./store-output.ts";

export async function storeImage(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  return decideStored(deps, row, await storeUntilDeadline(deps, row, sources, signal));
}

/** Retries until the deadline, because the result exists only in this process. */
async function storeUntilDeadline(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<StoreResult> {
  const deadline = processingDeadlineOf(deps, row, deps.clock.now());
  for (let failures = 0; ; failures++) {
    try {
      return await storeOutput(deps, row, sources, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const pauseMs = backoffMs(failures, deps.random());
      if (addMs(deps.clock.now(), pauseMs) >= deadline) {
        return { kind: "failed", failure: FAILURES.notStorable };
      }
      deps.log.warn({ err: error, generation_id: row.id }, "copy failed, retrying");
      await deps.clock.sleep(pauseMs, signal);
    }
  }
}
