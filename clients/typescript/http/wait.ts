/** Waits until a generation is finished, by long polling where the service supports it, else by polling. */
import type { Fault } from "./api-error.ts";
import type { Result } from "./api-promise.ts";
import type { CallOptions } from "./connection.ts";
import { GENERATION_STATUSES } from "./error-classes.ts";
import { errorOf, GenerationCanceledError } from "./errors.ts";
import type { Timing } from "./retry.ts";

/**
 * `signal` and `waitMs` stop the waiting, not the generation; `timeoutMs` and `maxAttempts` are those of each read. A read is
 * repeated for as long as an outage may take, unless `maxAttempts` is given.
 */
export type WaitOptions<T> = CallOptions & {
  /** Called when the generation is first read, and whenever its status or progress has changed. */
  onProgress?: (generation: T) => void;
  /** Interval between reads. Default 2,000 with `onProgress`, else 30,000; long polling reports the end at once. */
  pollMs?: number;
  /**
   * Limit for the whole wait, which begins when the create is accepted; then WaitStoppedError. An outage of the service ends the
   * wait only then. Default: none, and an outage of a minute ends it.
   */
  waitMs?: number;
};

/** Reads the generation by long polling for up to `holdSeconds`; `isHeld` is whether the service supported it. */
export type ReadGeneration<T> = (
  holdSeconds: number,
) => Promise<{ generation: T; isHeld: boolean }>;

const PROGRESS_POLL_MS = 2_000;
const DEFAULT_POLL_MS = 30_000;
const MAX_HOLD_SECONDS = 60;

/** Resolves with the generation once its status is final. */
export async function waitUntilFinished<T extends { status: string; progress: number }>(
  readGeneration: ReadGeneration<T>,
  { onProgress, signal, pollMs = onProgress ? PROGRESS_POLL_MS : DEFAULT_POLL_MS }: WaitOptions<T>,
  timing: Timing,
): Promise<T> {
  const holdSeconds = Math.min(MAX_HOLD_SECONDS, Math.floor(pollMs / 1_000));
  let lastReported = "";
  // With onProgress, the first read returns at once, so that progress shows immediately.
  for (let hold = onProgress ? 0 : holdSeconds; ; hold = holdSeconds) {
    const startedMs = timing.nowMs();
    const { generation, isHeld } = await readGeneration(hold);
    const state = `${generation.status} ${generation.progress}`;
    if (state !== lastReported) onProgress?.(generation);
    lastReported = state;
    if (isFinal(generation.status)) return generation;
    if (hold === 0 && holdSeconds > 0) continue;
    const intervalMs = isHeld ? pollMs : Math.min(pollMs, PROGRESS_POLL_MS);
    const remainingMs = intervalMs - (timing.nowMs() - startedMs);
    if (remainingMs > 0) await timing.sleep(remainingMs, signal);
  }
}

export function isFinal(status: string): boolean {
  return status === "success" || status === "failed" || status === "canceled";
}

type Ended = { id: string; status: string; error?: Pick<Fault, "code" | "message"> };

/** The generation, if it succeeded. Throws GenerationError if it failed, GenerationCanceledError if it was canceled. */
export function succeeded<T extends Ended>(generation: Result<T>): Result<T> {
  const { id, status, error, lastResponse } = generation as Result<Ended>;
  if (status === "canceled") throw new GenerationCanceledError(id);
  if (status !== "failed") return generation;
  // The status is that of a create that waited: the answer that tells of the failure is 200.
  const failedStatus = GENERATION_STATUSES[error?.code ?? ""] ?? lastResponse.status;
  throw errorOf(
    { status: failedStatus, headers: lastResponse.headers },
    {
      error: {
        type: "generation_error",
        ...error,
        request_id: lastResponse.requestId,
        details: { generation_id: id },
      },
    },
  );
}
