/** Stores an image that an upstream returned within the call, and decides success. */
import { Code, ConnectError } from "@connectrpc/connect";
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "./deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Source } from "../../providers/provider.ts";
import { processingDeadlineOf } from "./step.ts";
import { decideStored, storedSoFar, storeOutput, type StoreResult } from "./store-output.ts";

export async function storeImage(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
): Promise<GenerationRow | undefined> {
  return decideStored(deps, row, await storeUntilDeadline(deps, row, sources));
}

/**
 * Retries until the deadline, because the result exists only in this process, unless delivery refuses it. Not ended by a lost row: the worker that
 * has it now looks for what is stored.
 */
async function storeUntilDeadline(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
): Promise<StoreResult> {
  const deadline = processingDeadlineOf(deps, row, deps.clock.now());
  for (let failures = 0; ; failures++) {
    try {
      return await storeOutput(deps, row, sources, deps.deadline);
    } catch (error) {
      if (deps.deadline.aborted) throw error;
      const pauseMs = backoffMs(failures, deps.random());
      const isRefused = ConnectError.from(error).code === Code.InvalidArgument;
      if (isRefused || addMs(deps.clock.now(), pauseMs) >= deadline) {
        return storedSoFar(deps, row, FAILURES.notStorable);
      }
      deps.log.warn({ err: error, generation_id: row.id }, "copy failed, retrying");
      await deps.clock.sleep(pauseMs, deps.deadline);
    }
  }
}
