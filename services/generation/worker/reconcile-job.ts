/** Compares holds and generations every few minutes and raises an alarm where they differ. */
import type { Deps } from "../deps.ts";
import { compareHolds } from "../reconcile/compare.ts";

const EVERY_MS = 5 * 60 * 1000;

/** Runs until disposed. Several processes may run it side by side: it changes nothing. */
export function startReconciling(deps: Deps): AsyncDisposable {
  const stop = new AbortController();
  const loop = async () => {
    for (;;) {
      await deps.clock.sleep(EVERY_MS, stop.signal);
      if (stop.signal.aborted) return;
      try {
        const { holds, generations, discrepancies } = await compareHolds(deps);
        deps.metrics.discrepancies.set(discrepancies.length);
        for (const discrepancy of discrepancies) {
          deps.log.error({ discrepancy }, "a hold and its generation do not agree");
        }
        deps.log.info({ holds, generations, discrepancies: discrepancies.length }, "reconciled");
      } catch (error) {
        deps.log.warn({ err: error }, "cannot reconcile now");
      }
    }
  };
  const done = loop();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}
