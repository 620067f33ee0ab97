/** Time as a dependency, so that tests decide what "now" is. */
import { setTimeout as delay } from "node:timers/promises";

export type Clock = {
  now(): Date;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts (never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  },
};

export function addMs(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
