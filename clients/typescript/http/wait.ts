/** Waits until a generation is finished, by long polling where the service supports it, else by polling. */
import { ApiError } from "./api-error.ts";
import type { ApiPromise, Result } from "./api-promise.ts";
import type { CallOptions } from "./connection.ts";
import { GENERATION_STATUSES } from "./error-classes.ts";
import { ConnectionError, errorOf, GenerationCanceledError, WaitStoppedError } from "./errors.ts";
import { withGenerationId } from "./media-error.ts";
import type { Timing } from "./retry.ts";
import type { Image, Video } from "./types.ts";

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

export type Waits<T> = {
  wait: (id: string, options?: WaitOptions<T>) => Promise<Result<T>>;
  /** The generation, once it succeeded. Whatever ends the wait before names the id, which only the create's answer had. */
  waitForCreated: (id: string, options?: WaitOptions<T>) => Promise<Result<T>>;
};

type Any = Video | Image;

/** Reads the generation, by long polling for up to `holdSeconds`. */
type Read = (
  id: string,
  holdSeconds: number,
  options: CallOptions,
  outageMs: number,
) => ApiPromise<Any>;

/** How long a wait that has no limit of its own puts up with an outage. */
export const OUTAGE_MS = 60_000;
const PROGRESS_POLL_MS = 2_000;
const DEFAULT_POLL_MS = 30_000;
const MAX_HOLD_SECONDS = 60;

export function waitFunctions(kind: "videos" | "images", timing: Timing, read: Read): Waits<Any> {
  const goOn = (id: string) => `Wait again with client.${kind}.wait("${id}").`;
  const wait: Waits<Any>["wait"] = async (id, { waitMs, ...options } = {}) => {
    const limit = waitMs === undefined ? undefined : AbortSignal.timeout(waitMs);
    const signals = [options.signal, limit].filter((signal) => signal !== undefined);
    const stopping = limit ? { ...options, signal: AbortSignal.any(signals) } : options;
    const readOne = (holdSeconds: number) =>
      read(id, holdSeconds, stopping, limit ? Infinity : OUTAGE_MS);
    return waitUntilFinished(readOne, stopping, timing).catch((error: unknown) => {
      throw limit && error === limit.reason
        ? new WaitStoppedError(id, goOn(id), limit.reason as Error)
        : withGenerationId(error, id);
    });
  };
  const explained = (error: unknown, id: string, signal: AbortSignal | undefined): unknown => {
    if (!(error instanceof Error) || error instanceof WaitStoppedError) return error;
    if (signal?.aborted && (error === signal.reason || !(signal.reason instanceof Error)))
      return new WaitStoppedError(id, goOn(id), error);
    if (error instanceof ConnectionError || error instanceof ApiError)
      error.message = `${error.message.replace(/\.?$/, ".")} ${id} was created. ${goOn(id)}`;
    return error;
  };
  return {
    wait,
    waitForCreated: async (id, options) =>
      succeeded(
        await wait(id, options).catch((error: unknown) => {
          throw explained(error, id, options?.signal);
        }),
      ),
  };
}

/** Resolves with the generation once its status is final. */
async function waitUntilFinished(
  read: (holdSeconds: number) => ApiPromise<Any>,
  {
    onProgress,
    signal,
    pollMs = onProgress ? PROGRESS_POLL_MS : DEFAULT_POLL_MS,
  }: WaitOptions<Any>,
  timing: Timing,
): Promise<Result<Any>> {
  const holdSeconds = Math.min(MAX_HOLD_SECONDS, Math.floor(pollMs / 1_000));
  let lastReported = "";
  // With onProgress, the first read returns at once, so that progress shows immediately.
  for (let hold = onProgress ? 0 : holdSeconds; ; hold = holdSeconds) {
    const startedMs = timing.nowMs();
    const { data: generation, response } = await read(hold).withResponse();
    const state = `${generation.status} ${generation.progress}`;
    if (state !== lastReported) onProgress?.(generation);
    lastReported = state;
    if (isFinal(generation.status)) return generation;
    if (hold === 0 && holdSeconds > 0) continue;
    const isHeld = response.headers.has("preference-applied");
    const intervalMs = isHeld ? pollMs : Math.min(pollMs, PROGRESS_POLL_MS);
    const remainingMs = intervalMs - (timing.nowMs() - startedMs);
    if (remainingMs > 0) await timing.sleep(remainingMs, signal);
  }
}

export function isFinal(status: string): boolean {
  return status === "success" || status === "failed" || status === "canceled";
}

/** The generation, if it succeeded. Throws GenerationError if it failed, GenerationCanceledError if it was canceled. */
function succeeded(generation: Result<Any>): Result<Any> {
  const { id, status, error, lastResponse } = generation;
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
