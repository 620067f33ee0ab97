/** How long an upstream can make this service wait. */

const MAX_PAUSE_MS = 60_000;

/** The wait that an upstream asks for, at most a minute: longer ones would outlast the deadlines of tasks. */
export function pauseOf(askedMs: number): number {
  return Math.min(askedMs, MAX_PAUSE_MS);
}
