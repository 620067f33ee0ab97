/** A video's progress in percent: the upstream's number, or an estimate from its model's recent durations. */

/** Only success is 100. */
const MAX_BEFORE_SUCCESS = 99;
/** The estimate once a video has taken as long as its model's videos usually do. */
const AT_TYPICAL = 90;

/** A whole number from `before` to 99. */
export function progressOf(
  before: number,
  reported: number | undefined,
  elapsedMs: number,
  typicalMs: number,
): number {
  const now = reported ?? estimate(elapsedMs / Math.max(typicalMs, 1));
  const whole = Math.floor(Number.isFinite(now) ? now : 0);
  return Math.max(before, Math.min(Math.max(whole, 0), MAX_BEFORE_SUCCESS));
}

/** Linear up to the typical time, then slower and slower. */
function estimate(share: number): number {
  if (share <= 1) return AT_TYPICAL * Math.max(share, 0);
  return AT_TYPICAL + (MAX_BEFORE_SUCCESS - AT_TYPICAL) * (1 - Math.exp(1 - share));
}
