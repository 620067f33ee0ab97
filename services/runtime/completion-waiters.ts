/** Calls of this process that wait for a generation to complete, woken when it does. */
import type { Clock } from "./clock.ts";
import { createWakeSignal, type WakeSignal } from "./loops.ts";

/** One waiting call. Make it before the first read of the generation: a completion after the read still wakes it. */
export type CompletionWaiter = Disposable & {
  /**
   * Resolves when the generation completed since the last call, after `ms`, or when `gone` aborts. Whether it was woken.
   */
  wait: (ms: number, gone: AbortSignal) => Promise<boolean>;
};

export type CompletionWaiters = {
  waiterOf: (generationId: string) => CompletionWaiter;
  complete: (generationId: string) => void;
  /** Wakes every waiter and lets none wait again: the service stops. */
  stop: () => void;
  readonly isStopped: boolean;
};

export function createCompletionWaiters(clock: Clock): CompletionWaiters {
  const waiting = new Map<string, Set<WakeSignal>>();
  let isStopped = false;
  return {
    waiterOf(generationId) {
      const signal = createWakeSignal(clock);
      const signals = waiting.get(generationId) ?? new Set();
      waiting.set(generationId, signals.add(signal));
      return {
        async wait(ms, gone) {
          return !isStopped && (await signal.wait(ms, gone));
        },
        [Symbol.dispose]() {
          signals.delete(signal);
          if (signals.size === 0 && waiting.get(generationId) === signals) {
            waiting.delete(generationId);
          }
        },
      };
    },
    complete(generationId) {
      for (const signal of waiting.get(generationId) ?? []) signal.wake();
    },
    stop() {
      isStopped = true;
      for (const signals of waiting.values()) for (const signal of signals) signal.wake();
    },
    get isStopped() {
      return isStopped;
    },
  };
}
