/** Waits until a generation is finished, by long polling where the service supports it, else by polling. */
import { ApiError, MediaError, withGenerationId } from "./api-error.ts";
import type { ApiPromise, Result } from "./api-promise.ts";
import type { Connection, WaitOptions } from "./connection.ts";
import { GENERATION_STATUSES } from "./error-classes.ts";
import { ConnectionError, errorOf, GenerationCanceledError, WaitStoppedError } from "./errors.ts";
import type { Timing } from "./retry.ts";
import type { Image, Video } from "./types.ts";

/** How long a wait that has no limit of its own puts up with an outage. */
export const OUTAGE_MS = 60_000;
const PROGRESS_POLL_MS = 2_000;
const DEFAULT_POLL_MS = 30_000;
const MAX_HOLD_SECONDS = 60;

type Wait<T> = (id: string, options?: WaitOptions<T>) => Promise<Result<T>>;

/**
 * `waitForCreated` resolves with the generation once it succeeded. Whatever ends that wait before names the id, which only
 * the create's answer had.
 */
export function waitFunctions<T extends Video | Image>(
  { baseUrl, call, timing }: Connection,
  kind: "videos" | "images",
): { wait: Wait<T>; waitForCreated: Wait<T> } {
  const goOn = (id: string) => `Wait again with client.${kind}.wait("${id}").`;
  const wait: Wait<T> = async (id, { waitMs, ...options } = {}) => {
    const limit = waitMs === undefined ? undefined : AbortSignal.timeout(Math.ceil(waitMs));
    const signals = [options.signal, limit].filter((signal) => signal !== undefined);
    const stopping = limit ? { ...options, signal: AbortSignal.any(signals) } : options;
    const read = (holdSeconds: number) => {
      const sending = { extraMs: holdSeconds * 1_000, outageMs: limit ? Infinity : OUTAGE_MS };
      const headers = holdSeconds > 0 ? { Prefer: `wait=${holdSeconds}` } : {};
      const needs = ["id", "status", "progress"];
      const path = `/${kind}/generations/{id}` as const;
      return call<T>({ path, id, headers, needs, ...sending }, stopping);
    };
    return waitUntilFinished(read, stopping, timing).catch((error: unknown) => {
      throw limit && error === limit.reason
        ? new WaitStoppedError(id, goOn(id), limit.reason as Error)
        : withGenerationId(error, id);
    });
  };
  const explained = (error: unknown, id: string, signal: AbortSignal | undefined): unknown => {
    const isStopped = error === signal?.reason;
    if (!isStopped && error instanceof MediaError) {
      if (error instanceof ConnectionError || error instanceof ApiError)
        error.message = `${error.message.replace(/\.?$/, ".")} ${id} was created. ${goOn(id)}`;
      return error;
    }
    const why = isStopped ? "" : ` by an error of yours, ${String(error)}`;
    return new WaitStoppedError(id, goOn(id), error, why);
  };
  return {
    wait,
    waitForCreated: async (id, options) =>
      succeeded(
        await wait(id, options).catch((error: unknown) => {
          throw explained(error, id, options?.signal);
        }),
        baseUrl,
      ),
  };
}

async function waitUntilFinished<T extends Video | Image>(
  read: (holdSeconds: number) => ApiPromise<T>,
  { onProgress, signal, pollMs = onProgress ? PROGRESS_POLL_MS : DEFAULT_POLL_MS }: WaitOptions<T>,
  timing: Timing,
): Promise<Result<T>> {
  const holdSeconds = Math.min(MAX_HOLD_SECONDS, Math.floor(pollMs / 1_000));
  let lastReported = "";
  // With onProgress, the first read returns at once, so that progress shows immediately.
  for (let hold = onProgress ? 0 : holdSeconds; ; hold = holdSeconds) {
    const startedMs = timing.nowMs();
    const { data: generation, response } = await read(hold).withResponse();
    const state = `${generation.status} ${generation.progress}`;
    if (state !== lastReported) await onProgress?.(generation);
    lastReported = state;
    if (isFinal(generation.status)) return generation;
    if (hold === 0 && holdSeconds > 0) continue;
    const tookMs = Math.max(0, timing.nowMs() - startedMs);
    const isHeld = response.headers.has("preference-applied") && tookMs >= hold * 1_000;
    const remainingMs = (isHeld ? pollMs : Math.min(pollMs, PROGRESS_POLL_MS)) - tookMs;
    if (remainingMs > 0) await timing.sleep(remainingMs, signal);
  }
}

/** The page about a code; undefined where it is not known, as a proxy gives the API another path. `url` is one of the API. */
export function pageOf(url: string, code: string | undefined): string | undefined {
  const [, origin] = /^(.+)\/v1(?:\/\w+\/generations\/\w+)?$/.exec(url) ?? [];
  return origin && code && `${origin}/docs/errors#${code}`;
}

export function isFinal(status: string): boolean {
  return status === "success" || status === "failed" || status === "canceled";
}

/** The generation, if it succeeded. Throws GenerationError if it failed, GenerationCanceledError if it was canceled. */
function succeeded<T extends Video | Image>(generation: Result<T>, baseUrl: string): Result<T> {
  const { id, status, error, lastResponse } = generation;
  if (status === "canceled") throw new GenerationCanceledError(id);
  if (status !== "failed") return generation;
  const problem = {
    type: "generation_error",
    ...error,
    doc_url: pageOf(baseUrl, error?.code),
    request_id: lastResponse.requestId,
    details: { generation_id: id },
  };
  // The status is that of a create that waited: the answer that tells of the failure is 200.
  const failedStatus = GENERATION_STATUSES[error?.code ?? ""] ?? lastResponse.status;
  const answer = { status: failedStatus, headers: lastResponse.headers };
  throw errorOf(answer, JSON.stringify({ error: problem }));
}
