/** Wakes those who wait for the end of a generation when its event rings. */
import type { Clock } from "#runtime/clock.ts";

/** One who waits: made before the first look at the generation, so that no end falls between look and wait. */
export type Bell = Disposable & {
  /** Resolves when the end has rung since the last call, after `ms`, or when `gone` aborts. */
  wait: (ms: number, gone: AbortSignal) => Promise<void>;
};

export type Ends = {
  bellOf: (generationId: string) => Bell;
  ring: (generationId: string) => void;
  /** Wakes everyone, for good: the service stops. */
  stop: () => void;
  readonly isStopped: boolean;
  /** How many wait now. */
  readonly size: number;
};

export function generationEnds(clock: Clock): Ends {
  const waiting = new Map<string, Set<() => void>>();
  let isStopped = false;
  return {
    bellOf(generationId) {
      let hasRung = false;
      let wake = () => {};
      const ring = () => {
        hasRung = true;
        wake();
      };
      const bells = waiting.get(generationId) ?? new Set();
      waiting.set(generationId, bells.add(ring));
      return {
        async wait(ms, gone) {
          if (!hasRung && !isStopped) {
            const woken = new AbortController();
            wake = () => woken.abort();
            await clock.sleep(ms, AbortSignal.any([woken.signal, gone]));
          }
          hasRung = false;
        },
        [Symbol.dispose]() {
          bells.delete(ring);
          if (bells.size === 0 && waiting.get(generationId) === bells) waiting.delete(generationId);
        },
      };
    },
    ring(generationId) {
      for (const ring of waiting.get(generationId) ?? []) ring();
    },
    stop() {
      isStopped = true;
      for (const bells of waiting.values()) for (const ring of bells) ring();
    },
    get isStopped() {
      return isStopped;
    },
    get size() {
      return [...waiting.values()].reduce((count, bells) => count + bells.size, 0);
    },
  };
}
