/** Decides whether a request is sent again, and after what delay. */
import { parseJson, problemOf } from "./api-error.ts";

/** Time and randomness, which tests replace. */
export type Timing = {
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Unix time in milliseconds. */
  nowMs: () => number;
};

/** A response with its text, which is empty where the body is left to the caller. */
export type Answered = { response: Response; text: string };

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** With a longer Retry-After, the client throws the error instead of waiting. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * The delay in milliseconds between attempt `attempt` and the next, or undefined where the request must not be sent
 * again. `answer` is undefined where the attempt got no response. `isRepeatable`: the operation is idempotent.
 */
export function retryDelayMs(
  answer: Answered | undefined,
  attempt: number,
  isRepeatable: boolean,
  timing: Pick<Timing, "random" | "nowMs">,
): number | undefined {
  if (answer ? !isRetryable(answer, isRepeatable) : !isRepeatable) return;
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
  const jitteredMs = backoffMs * (0.5 + timing.random() / 2);
  const askedMs = answer ? retryAfterMs(answer.response.headers, timing.nowMs()) : 0;
  return askedMs > MAX_RETRY_AFTER_MS ? undefined : askedMs + jitteredMs;
}

function isRetryable({ response, text }: Answered, isRepeatable: boolean): boolean {
  if (response.status === 429) return true;
  return isRepeatable && [500, 502, 503, 504].includes(response.status) && !isFinalFailure(text);
}

/** A failed image stays failed for its idempotency key; one that timed out may still finish. */
function isFinalFailure(text: string): boolean {
  const problem = problemOf(parseJson(text));
  return problem?.type === "generation_error" && problem.code !== "generation_timeout";
}

/** The delay of `Retry-After`, given in seconds or as a date, in milliseconds from now; 0 without one. */
function retryAfterMs(headers: Headers, nowMs: number): number {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}

/** The system's timers, randomness and clock. */
export const systemTiming: Timing = {
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
    }),
  random: Math.random,
  nowMs: Date.now,
};
