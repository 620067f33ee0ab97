/** Compares holds and generations every few minutes and logs an alert for each discrepancy. */
import type { PeriodicJob } from "#runtime/periodic-job.ts";
import type { Log } from "#runtime/log.ts";
import { compareHolds, type CompareDeps } from "./compare-holds.ts";

const EVERY_MS = 5 * 60 * 1000;

type ReconcileDeps = CompareDeps & {
  log: Log;
  metrics: { discrepancies: { set: (count: number) => void } };
};

/** It changes no rows, so several processes may run it side by side. */
export function reconcileJob(deps: ReconcileDeps): PeriodicJob {
  return {
    name: "reconcile holds and generations",
    firstAfterMs: EVERY_MS,
    everyMs: EVERY_MS,
    run: async () => {
      const { holds, generations, discrepancies } = await compareHolds(deps).catch((error) => {
        deps.metrics.discrepancies.set(NaN);
        throw error;
      });
      deps.metrics.discrepancies.set(discrepancies.length);
      for (const { accountId, generationId, attempt, kind } of discrepancies) {
        deps.log.error(
          { account_id: accountId, generation_id: generationId, attempt, kind },
          "a hold and its generation do not agree",
        );
      }
      deps.log.info({ holds, generations, discrepancies: discrepancies.length }, "reconciled");
    },
  };
}
