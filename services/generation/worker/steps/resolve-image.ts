/** Ends an image whose call by another worker was cut off: with what delivery has stored of it, or as a failure. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "./deps.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import {
  decideFailed,
  decideSuccess,
  processingDeadlineOf,
  reschedule,
  rescheduleAfterFailure,
} from "./step.ts";

const LOOK_AGAIN_AFTER_MS = 1_000;
/** A worker that was only paused, or cut off, may still come with its answer. */
const WAIT_FOR_WORKER_MS = 30_000;

/**
 * The answer of an image call cannot be read again, and a second call could make a second image. But a worker that comes
 * back has its answer stored, and a copy goes on without the worker that asked for it.
 */
export async function resolveImage(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const address = { accountId: row.accountId, generationId: row.id };
  const found = await deps.delivery.findOutput(address, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  const about = { generation_id: row.id, account_id: row.accountId };
  if (found && found.missing === 0 && found.output.length > 0) {
    deps.log.info(about, "image call cut off: its copy was found");
    return decideSuccess(deps, row, found.output);
  }
  const now = deps.clock.now();
  const goneSince = row.goneSince ?? now;
  const isLate = now > processingDeadlineOf(deps, row, now);
  const noCopyRuns = found?.missing === 0 || found?.copying === 0;
  const isOver = noCopyRuns && now >= addMs(goneSince, WAIT_FOR_WORKER_MS);
  if (isLate || isOver) {
    if (found && found.output.length > 0) {
      deps.log.info(about, "image call cut off: some of its copies were found");
      return decideSuccess(deps, row, found.output);
    }
    const reason = isLate ? "late" : found?.missing ? "copy not finished" : "nothing stored";
    deps.log.warn({ ...about, reason }, "image call cut off: nothing was found");
    return decideFailed(deps, row, FAILURES.interrupted);
  }
  return found
    ? reschedule(deps, row, LOOK_AGAIN_AFTER_MS, { goneSince })
    : rescheduleAfterFailure(deps, row, "delivery did not say what is stored", { goneSince });
}
