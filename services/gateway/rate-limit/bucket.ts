/**
 * The arithmetic of a token bucket that holds one minute's quota and refills evenly. Its state is one time: when it
 * will be full again. A request puts that off by its share of the minute; past, it is full; a minute ahead, empty.
 */

export const WINDOW_MS = 60_000;
const WINDOW_SECONDS = WINDOW_MS / 1_000;

/** A replica draws this part of the quota at once: what two of them can hold unspent stays far below a tenth. */
const SLICE_PER_QUOTA = 0.01;

/** Postgres rounds each draw to microseconds; what a hundred of them lose must not cost a request. */
const ROUNDING_MS = 0.05;

/** The time in which one request's share refills; `quota` is per minute and at least 1. */
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

/** How long until the bucket has one request; 0 where it has. */
export function msUntilOne(quota: number, fullAtMs: number, nowMs: number): number {
  return Math.max(0, missingMs(fullAtMs, nowMs) + costMs(quota) - WINDOW_MS);
}

/** Never more than the window: a clock that was set back must not leave a bucket that is emptier than empty. */
function missingMs(fullAtMs: number, nowMs: number): number {
  return Math.min(WINDOW_MS, Math.max(0, fullAtMs - nowMs));
}
