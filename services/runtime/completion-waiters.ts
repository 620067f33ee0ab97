/** Calls of this process that wait for a generation to complete, woken when it does. */
import type { Clock } from "./clock.ts";
import { createWakeSignal, type WakeSignal } from "./loops.ts";

export type CompletionWaiters = ReturnType<typeof createCompletionWaiters>;

/** One waiting call. Make it before the first read of the generation: a completion after the read still wakes it. */
export type CompletionWaiter = ReturnType<CompletionWaiters["waiterOf"]>;

export function createCompletionWaiters(clock: Clock) {
  const waiting = new Map<string, Set<WakeSignal>>();
  let isStopped = false;
  return {
    waiterOf: (generationId: string) => {
      const signal = createWakeSignal(clock);
      const signals = waiting.get(generationId) ?? new Set();
      waiting.set(generationId, signals.add(signal));
      return {
        /** Resolves when it completed since the last call, after `ms`, or when `gone` aborts. Whether it was woken. */
        wait: async (ms: number, gone: AbortSignal): Promise<boolean> =>
          !isStopped && (await signal.wait(ms, gone)),
        [Symbol.dispose]() {
          signals.delete(signal);
          if (signals.size === 0 && waiting.get(generationId) === signals) {
            waiting.delete(generationId);
          }
        },
      };
    },
    complete: (generationId: string): void => {
      for (const signal of waiting.get(generationId) ?? []) signal.wake();
    },
    /** Wakes every waiter and lets none wait again: the service stops. */
    stop: (): void => {
      isStopped = true;
      for (const signals of waiting.values()) for (const signal of signals) signal.wake();
    },
    get isStopped() {
      return isStopped;
    },
  };
}
