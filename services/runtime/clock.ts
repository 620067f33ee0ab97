/** Time as a dependency, so that tests control it. */
import { ENDED } from "./abort.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type Clock = {
  now(): Date;
  /** Milliseconds since an arbitrary moment; they pass at the same rate when the system's time is set. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds, or as soon as `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  // NOTE: node:timers/promises builds an error for every abort, and most sleeps here end by one.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener("abort", end, { once: true });
      return undefined;
    }),
};

/** The result of `work`, or undefined if it has none after `ms` milliseconds. Rejects as `work` does until then. */
export async function within<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  const settled = new AbortController();
  const limit = clock.sleep(ms, settled.signal).then(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    settled.abort(ENDED);
  }
}

/** Whether `work` does not reject. */
export function succeeds(work: PromiseLike<unknown>): Promise<boolean> {
  return Promise.resolve(work).then(
    () => true,
    () => false,
  );
}

export function addMs(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
