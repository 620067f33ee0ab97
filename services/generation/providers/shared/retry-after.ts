/** Reads from an answer's headers how long to wait before the next call. */

const SECONDS = /^\d+(\.\d+)?$/;
const HTTP_DATE = / GMT$/;

/** Reads `retry-after-ms`, else `Retry-After` as seconds or as a date; returns undefined if neither is valid. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now: Date,
): number | undefined {
  const ms = headers["retry-after-ms"]?.trim();
  if (ms !== undefined && SECONDS.test(ms)) return Math.ceil(Number(ms));
  const value = headers["retry-after"]?.trim();
  if (value === undefined) return undefined;
  if (SECONDS.test(value)) return Math.ceil(Number(value) * 1000);
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
