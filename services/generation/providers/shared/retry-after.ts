/** Reads from an answer's headers how long to wait before the next call. */
import { retryAfterMs } from "#runtime/retry-after.ts";

const MILLISECONDS = /^\d+(\.\d+)?$/;

/** Reads `retry-after-ms`, which OpenAI sends, else `Retry-After`; returns undefined if neither is valid. */
export function headerWaitMs(
  headers: Readonly<Record<string, string>>,
  now: Date,
): number | undefined {
  const ms = headers["retry-after-ms"]?.trim();
  if (ms !== undefined && MILLISECONDS.test(ms)) return Math.ceil(Number(ms));
  return retryAfterMs(headers["retry-after"], now);
}
