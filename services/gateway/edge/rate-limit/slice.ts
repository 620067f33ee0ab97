/** A replica's slice of a bucket: requests drawn but not spent, and refusals that need no new draw. */
import { WINDOW_MS, costMs, msUntilOne, remaining, secondsUntilFull } from "./bucket.ts";

export type Slice = {
  quota: number;
  /** Requests drawn and not yet spent. */
  left: number;
  /** When the shared bucket will be full, as of the draw. */
  fullAtMs: number;
  drawnAtMs: number;
  /** Until then a new draw cannot succeed: the last one left the bucket empty. */
  emptyUntilMs: number;
};

export type Decision = {
  isAdmitted: boolean;
  /** A minute's quota. */
  quota: number;
  /** Requests left now. */
  remaining: number;
  fullInSeconds: number;
  /** At least 1. */
  retryAfterSeconds: number;
};

/** The rest of an older slice is returned at the next draw, so that an idle account's bucket becomes full again. */
const MAX_SLICE_AGE_MS = 10_000;

/** An account over its limit causes at most one statement in this time. */
const MIN_PAUSE_MS = 100;

/** The slice of a draw that was granted `granted` of `wanted` requests. */
export function newSlice(
  quota: number,
  drawn: { granted: number; fullAtMs: number },
  wanted: number,
  nowMs: number,
): Slice {
  const { granted, fullAtMs } = drawn;
  const pauseMs = Math.max(MIN_PAUSE_MS, msUntilOne(quota, fullAtMs, nowMs));
  const emptyUntilMs = granted < wanted ? nowMs + pauseMs : nowMs;
  return { quota, left: granted, fullAtMs, drawnAtMs: nowMs, emptyUntilMs };
}

/** Spends one request of the slice, or refuses it; undefined when a new draw is needed. */
export function spend(
  slice: Slice | undefined,
  quota: number,
  nowMs: number,
): Decision | undefined {
  if (!slice || slice.quota !== quota) return undefined;
  const ageMs = nowMs - slice.drawnAtMs;
  if (ageMs < 0 || ageMs >= MAX_SLICE_AGE_MS) return undefined;
  if (slice.left > 0) {
    slice.left -= 1;
    return decision(slice, true, nowMs);
  }
  return nowMs < slice.emptyUntilMs ? decision(slice, false, nowMs) : undefined;
}

/** Whether the bucket has filled up since the draw, which makes the slice worthless. */
export function isExpired({ drawnAtMs }: Slice, nowMs: number): boolean {
  return Math.abs(nowMs - drawnAtMs) >= WINDOW_MS;
}

function decision(slice: Slice, isAdmitted: boolean, nowMs: number): Decision {
  const { quota, left } = slice;
  // Unspent requests of the slice still count as the caller's.
  const fullAtMs = slice.fullAtMs - left * costMs(quota);
  return {
    isAdmitted,
    quota,
    remaining: isAdmitted ? remaining(quota, fullAtMs, nowMs) : 0,
    fullInSeconds: secondsUntilFull(fullAtMs, nowMs),
    retryAfterSeconds: Math.max(1, Math.ceil(msUntilOne(quota, fullAtMs, nowMs) / 1_000)),
  };
}
