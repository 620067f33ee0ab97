/** How far a video is: the upstream's number, or what its model's recent durations let expect. */

/** Progress below this is before success. */
const MOST = 99;
/** What a video shows when it has taken as long as they usually do. */
const AT_TYPICAL = 90;

/** Never less than `before`, and never 100. */
export function progressOf(
  before: number,
  told: number | undefined,
  elapsedMs: number,
  typicalMs: number,
): number {
  const now = told ?? expected(elapsedMs / Math.max(typicalMs, 1));
  const whole = Math.floor(Number.isFinite(now) ? now : 0);
  return Math.max(before, Math.min(Math.max(whole, 0), MOST));
}

/** Even up to the typical time, ever slower beyond it. */
function expected(share: number): number {
  if (share <= 1) return AT_TYPICAL * Math.max(share, 0);
  return AT_TYPICAL + (MOST - AT_TYPICAL) * (1 - Math.exp(1 - share));
}
