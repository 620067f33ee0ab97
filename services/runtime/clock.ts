/** Time as a dependency, so that tests decide what "now" is. */
export type Clock = {
  now(): Date;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts (never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export const systemClock: Clock = {
  now: () => new Date(),
  // NOTE: node:timers/promises makes an error of every abort, and most sleeps here are cut short.
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

export function addMs(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
