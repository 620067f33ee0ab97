/** How long to wait before a step that failed is tried again. */

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** Doubles with each failure, with jitter so that rows that failed together part. `random` is 0 to 1. */
export function backoffMs(failures: number, random: number): number {
  const planned = Math.min(FIRST_MS * 2 ** Math.min(failures, 10), LONGEST_MS);
  return Math.round(planned * (0.75 + random / 2));
}
