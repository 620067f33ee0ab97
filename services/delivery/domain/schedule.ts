/** The schedule of webhook attempts: when a failed one is tried again. */
import { addMs } from "#runtime/clock.ts";
import { retryAfterMs } from "#runtime/retry-after.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after the first attempt, the second, and so on. The attempt after the last wait is the last one. */
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
const MAX_RETRY_AFTER_FACTOR = 2;

export type FailedAttempt = {
  /** The number of attempts made, including this one. */
  attemptsMade: number;
  endedAt: Date;
  /** The response's Retry-After header, if it had one. */
  retryAfter?: string | undefined;
};

/**
 * The time of the next attempt, or undefined after the last one. `random` is in [0, 1).
 * A Retry-After header can make the wait longer, up to twice the planned one, but never shorter.
 */
export function nextAttemptAt(failed: FailedAttempt, random: () => number): Date | undefined {
  const plannedMs = WAITS_MS[failed.attemptsMade - 1];
  if (plannedMs === undefined) return undefined;
  const jitteredMs = plannedMs * (1 - JITTER + 2 * JITTER * random());
  const requestedMs = retryAfterMs(failed.retryAfter, failed.endedAt) ?? 0;
  const waitMs = Math.max(jitteredMs, Math.min(requestedMs, MAX_RETRY_AFTER_FACTOR * plannedMs));
  return addMs(failed.endedAt, Math.round(waitMs));
}
