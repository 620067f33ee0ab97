/** Ends an image whose call by another worker was cut off: with what delivery has stored of it, or as a failure. */
import type { Deps } from "../../deps.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import {
  decideFailed,
  decideSuccess,
  processingDeadlineOf,
  reschedule,
  rescheduleAfterFailure,
} from "../step.ts";

/** While delivery copies for a caller that is gone. */
const LOOK_AGAIN_AFTER_MS = 1_000;

/**
 * The answer of an image call cannot be read again, and a second call could make a second image. But the copy goes on
 * without the worker that asked for it.
 */
export async function resolveImage(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const isLate = deps.clock.now() > processingDeadlineOf(deps, row, deps.clock.now());
  const address = { accountId: row.accountId, generationId: row.id };
  const found = await deps.delivery.findOutput(address, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  if (found && found.missing === 0 && found.output.length > 0) {
    return decideSuccess(deps, row, found.output);
  }
  const isAllThereIs = found?.missing === 0 || found?.copying === 0;
  if (isLate || isAllThereIs) return decideFailed(deps, row, FAILURES.interrupted);
  return found ? reschedule(deps, row, LOOK_AGAIN_AFTER_MS) : rescheduleAfterFailure(deps, row);
}
