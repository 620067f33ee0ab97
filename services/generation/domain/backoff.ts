/** How long to wait before a failed step is retried. */

const FIRST_MS = 500;
const MAX_MS = 30_000;

/** Doubles with each failure, ±25 % so that rows that failed together do not retry together. `random` is 0 to 1. */
export function backoffMs(failures: number, random: number): number {
  const planned = Math.min(FIRST_MS * 2 ** Math.min(failures, 10), MAX_MS);
  return Math.round(planned * (0.75 + random / 2));
}
