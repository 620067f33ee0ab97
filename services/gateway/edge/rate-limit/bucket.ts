/**
 * The arithmetic of a token bucket that holds one minute's quota and refills evenly. Its state is one timestamp: when
 * it will be full again. A request moves it forward by the request's share of a minute. In the past means full; one
 * minute ahead means empty.
 */

export const WINDOW_MS = 60_000;
const WINDOW_SECONDS = WINDOW_MS / 1_000;

/** The part of the quota that a replica draws at once. Small, so that replicas hold little unspent. */
const SLICE_PER_QUOTA = 0.01;

/** Tolerance for Postgres, which rounds each draw to microseconds: the error of a hundred draws costs no request. */
const ROUNDING_MS = 0.05;

/** The time in which one request refills; `quota` is per minute and at least 1. */
export function costMs(quota: number): number {
  return WINDOW_MS / quota;
}

/** How many requests a replica draws at once. */
export function sliceOf(quota: number): number {
  return Math.max(1, Math.floor(quota * SLICE_PER_QUOTA));
}

/** How many requests the bucket has now. */
export function remaining(quota: number, fullAtMs: number, nowMs: number): number {
  const heldMs = WINDOW_MS - missingMs(fullAtMs, nowMs) + ROUNDING_MS;
  return Math.min(quota, Math.floor(heldMs / costMs(quota)));
}

/** The whole seconds until the bucket is full, rounded up. */
export function secondsUntilFull(fullAtMs: number, nowMs: number): number {
  return Math.min(WINDOW_SECONDS, Math.ceil(missingMs(fullAtMs, nowMs) / 1_000));
}

/** The time until the bucket holds one request; 0 when it does. */
export function msUntilOne(quota: number, fullAtMs: number, nowMs: number): number {
  return Math.max(0, missingMs(fullAtMs, nowMs) + costMs(quota) - WINDOW_MS);
}

/** At most the window: after a clock is set back, a bucket must not count as emptier than empty. */
function missingMs(fullAtMs: number, nowMs: number): number {
  return Math.min(WINDOW_MS, Math.max(0, fullAtMs - nowMs));
}
