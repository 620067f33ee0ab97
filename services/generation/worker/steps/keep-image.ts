/** Copies an image that an upstream answered with, and decides success. */
import type { Deps } from "../../deps.ts";
import { addMs } from "#runtime/clock.ts";
import { backoffMs } from "../../domain/backoff.ts";
import { processingDeadline } from "../../domain/deadlines.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Source } from "../../providers/provider.ts";
import { decideFailed, decideSuccess } from "../step.ts";
import { storeOutput } from "./store-output.ts";
import type { Stored } from "./store-output.ts";

export async function keepImage(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const stored = await storeUntilDeadline(deps, row, sources, signal);
  return stored.kind === "stored"
    ? decideSuccess(deps, row, stored.output)
    : decideFailed(deps, row, stored.failure);
}

/** The result is in our hands only now, so the copy is tried until the deadline. */
async function storeUntilDeadline(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<Stored> {
  const deadlines = deps.catalog.deadlines(row.kind, row.model);
  const deadline = processingDeadline(row, deadlines, deps.clock.now());
  for (let failures = 0; ; failures++) {
    try {
      return await storeOutput(deps, row, sources, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const pauseMs = backoffMs(failures, deps.random());
      if (addMs(deps.clock.now(), pauseMs) >= deadline) {
        return { kind: "failed", failure: FAILURES.notStorable };
      }
      deps.log.warn({ err: error, generation_id: row.id }, "copy failed; it is tried again");
      await deps.clock.sleep(pauseMs, signal);
    }
  }
}
