/** A replica's slice of a bucket: what it has drawn and not yet spent, and what it may answer without asking again. */
import { WINDOW_MS, costMs, msUntilOne, remaining, secondsUntilFull } from "./bucket.ts";

export type Slice = {
  quota: number;
  /** Requests drawn and not yet spent. */
  left: number;
  /** When the shared bucket is full, as of the draw. */
  fullAtMs: number;
  drawnAtMs: number;
  /** The draw left the bucket empty: until then there is no use in asking again. */
  emptyUntilMs: number;
};

export type Verdict = {
  isAdmitted: boolean;
  /** A minute's quota. */
  quota: number;
  /** Requests left now. */
  remaining: number;
  fullInSeconds: number;
  /** At least 1. */
  retryAfterSeconds: number;
};

/** Older slices go back: an idle account's bucket is then full for all replicas, and not more than full. */
const KEEP_MS = 10_000;

/** One over its limit costs a statement this often at most, and gets what has come in meanwhile. */
const MIN_PAUSE_MS = 100;

/** The slice that a draw of `granted` from `wanted` requests gives. */
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

/** Spends one request of the slice, or refuses; undefined where the shared bucket must be asked. */
export function spend(slice: Slice | undefined, quota: number, nowMs: number): Verdict | undefined {
  if (!slice || slice.quota !== quota) return undefined;
  const ageMs = nowMs - slice.drawnAtMs;
  if (ageMs < 0 || ageMs >= KEEP_MS) return undefined;
  if (slice.left > 0) {
    slice.left -= 1;
    return verdict(slice, true, nowMs);
  }
  return nowMs < slice.emptyUntilMs ? verdict(slice, false, nowMs) : undefined;
}

/** Whether the bucket must have filled up since: what is known of it, and what is left of it, says nothing more. */
export function isForgotten({ drawnAtMs }: Slice, nowMs: number): boolean {
  return Math.abs(nowMs - drawnAtMs) >= WINDOW_MS;
}

function verdict(slice: Slice, isAdmitted: boolean, nowMs: number): Verdict {
  const { quota, left } = slice;
  // What is drawn and not spent is still there for the caller.
  const fullAtMs = slice.fullAtMs - left * costMs(quota);
  return {
    isAdmitted,
    quota,
    remaining: isAdmitted ? remaining(quota, fullAtMs, nowMs) : 0,
    fullInSeconds: secondsUntilFull(fullAtMs, nowMs),
    retryAfterSeconds: Math.max(1, Math.ceil(msUntilOne(quota, fullAtMs, nowMs) / 1_000)),
  };
}
