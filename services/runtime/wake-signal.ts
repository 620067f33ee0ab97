/** A wait that another part of the process can end early. */
import { ENDED } from "./abort.ts";
import type { Clock } from "./clock.ts";

export type WakeSignal = {
  /**
   * Resolves after `ms`, when woken, or when `stop` aborts; at once when woken since the last wait ended. Whether it was
   * woken.
   */
  wait: (ms: number, stop: AbortSignal) => Promise<boolean>;
  /** Ends the wait under way, or the next one. */
  wake: () => void;
};

export function createWakeSignal(clock: Clock): WakeSignal {
  let isWoken = false;
  let endWait = () => {};
  return {
    async wait(ms, stop) {
      if (!isWoken) {
        const woken = new AbortController();
        endWait = () => woken.abort(ENDED);
        await clock.sleep(ms, AbortSignal.any([woken.signal, stop]));
      }
      const wasWoken = isWoken;
      isWoken = false;
      return wasWoken;
    },
    wake() {
      isWoken = true;
      endWait();
    },
  };
}
