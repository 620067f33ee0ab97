/** When a webhook that was not delivered is tried again. */
import { addMs } from "#runtime/clock.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after the first attempt, the second, and so on; the attempt after the last wait is the last. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];
const JITTER = 0.2;
const MOST_RETRY_AFTER = 2;

export type FailedAttempt = {
  /** How many attempts were made, this one included. */
  attemptsMade: number;
  endedAt: Date;
  /** The response's Retry-After header, where there was one. */
  retryAfter?: string | undefined;
};

/**
 * The time of the next attempt, or undefined where that was the last. `random` is in [0, 1).
 * A Retry-After makes the wait longer, up to twice the planned one, and never shorter.
 */
export function nextAttemptAt(failed: FailedAttempt, random: () => number): Date | undefined {
  const plannedMs = WAITS_MS[failed.attemptsMade - 1];
  if (plannedMs === undefined) return undefined;
  const jitteredMs = plannedMs * (1 - JITTER + 2 * JITTER * random());
  const askedMs = retryAfterMs(failed.retryAfter, failed.endedAt) ?? 0;
  const waitMs = Math.max(jitteredMs, Math.min(askedMs, MOST_RETRY_AFTER * plannedMs));
  return addMs(failed.endedAt, Math.round(waitMs));
}

/** The wait that a Retry-After header (seconds, or an HTTP date) asks for; undefined where it is neither. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  // Every form of an HTTP date begins with the name of a day.
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
