/** Releases holds of creates that were cut off, and logs an alert for each difference that this leaves. */
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { PeriodicJob } from "#runtime/loops.ts";
import { compareHolds, sweepHolds, type HoldsDeps } from "./compare-holds.ts";

/** With the age at which a hold is looked at: within 75 s. */
const SWEEP_EVERY_MS = 15_000;
const COMPARE_EVERY_MS = 5 * 60_000;

type JobDeps = HoldsDeps & { metrics: { discrepancies: { set: (count: number) => void } } };

/** Every process runs it. The first run looks at all open holds. */
export function sweepJob(deps: HoldsDeps): PeriodicJob {
  let last: Hold | undefined;
  return {
    name: "release holds without a generation",
    firstAfterMs: SWEEP_EVERY_MS,
    everyMs: SWEEP_EVERY_MS,
    run: async () => {
      last = await sweepHolds(deps, last);
    },
  };
}

export function compareJob(deps: JobDeps): PeriodicJob {
  return {
    name: "compare holds and generations",
    firstAfterMs: COMPARE_EVERY_MS,
    everyMs: COMPARE_EVERY_MS,
    run: () => compare(deps),
  };
}

async function compare(deps: JobDeps): Promise<void> {
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
}
