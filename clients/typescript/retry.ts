/** When a request is sent again, and after how long. */
import { problemOf } from "./errors.ts";

/** Time and chance, which tests replace. */
export type Timing = {
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Evenly from 0 up to 1. */
  random: () => number;
  /** Unix time in milliseconds. */
  nowMs: () => number;
};

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** Asked to wait for longer than this, the client gives up and tells its caller. */
const MAX_RETRY_AFTER_MS = 60_000;

const RETRIED_STATUSES = new Set([500, 502, 503, 504]);

/**
 * The pause in milliseconds before attempt `attempt + 1`, by the answer to attempt `attempt` (undefined: none came);
 * undefined where another attempt is of no use. `isRepeatable`: doing it twice is as doing it once.
 */
export function pauseMs(
  answer: { response: Response; text: string } | undefined,
  attempt: number,
  isRepeatable: boolean,
  timing: Pick<Timing, "random" | "nowMs">,
): number | undefined {
  if (answer && !isWorthRepeating(answer.response.status, answer.text, isRepeatable)) return;
  if (!answer && !isRepeatable) return;
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
  const jitteredMs = backoffMs * (0.5 + timing.random() / 2);
  const askedMs = answer && retryAfterMs(answer.response.headers, timing.nowMs());
  if (askedMs === undefined) return jitteredMs;
  return askedMs > MAX_RETRY_AFTER_MS ? undefined : askedMs + jitteredMs;
}

function isWorthRepeating(status: number, text: string, isRepeatable: boolean): boolean {
  if (status === 429) return true;
  return isRepeatable && RETRIED_STATUSES.has(status) && !isFinalFailure(text);
}

/** A failed image stays failed for its key, whatever the status; one that still runs does not. */
function isFinalFailure(text: string): boolean {
  const problem = problemOf(parsed(text));
  return problem?.type === "generation_error" && problem.code !== "generation_timeout";
}

/** `Retry-After`, in seconds or as a date, in milliseconds from now. */
function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The real ones. */
export const systemTiming: Timing = {
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(reasonOf(signal));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    }),
  random: Math.random,
  nowMs: Date.now,
};

/** What to throw for an aborted signal. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
