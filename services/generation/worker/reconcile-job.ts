/** Compares holds and generations every few minutes and logs an alert for each discrepancy. */
import type { PeriodicJob } from "#runtime/periodic-job.ts";
import type { Deps } from "../deps.ts";
import { compareHolds } from "../reconcile/compare.ts";

const EVERY_MS = 5 * 60 * 1000;

/** It changes no rows, so several processes may run it side by side. */
export function reconcileJob(deps: Deps): PeriodicJob {
  return {
    name: "reconcile holds and generations",
    firstAfterMs: EVERY_MS,
    everyMs: EVERY_MS,
    run: async () => {
      const { holds, generations, discrepancies } = await compareHolds(deps);
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
