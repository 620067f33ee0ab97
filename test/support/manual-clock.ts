/** A clock that only advances when a test advances it. */
import type { Clock } from "#runtime/clock.ts";

export type ManualClock = Clock & { advance: (ms: number) => void };

export function manualClock(start = "2026-01-01T00:00:00.000Z"): ManualClock {
  let now = new Date(start).getTime();
  const sleepers = new Set<{ at: number; wake: () => void }>();
  const advance = (ms: number) => {
    now += ms;
    for (const sleeper of sleepers) if (sleeper.at <= now) sleeper.wake();
  };
  return {
    now: () => new Date(now),
    monotonicMs: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = {
          at: now + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener("abort", sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", sleeper.wake, { once: true });
        return undefined;
      }),
    advance,
  };
}
