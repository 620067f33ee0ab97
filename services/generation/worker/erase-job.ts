/** Deletes the content of generations that have ended longer ago than their account keeps it. */
import { HOUR_MS, MINUTE_MS } from "#runtime/clock.ts";
import type { PeriodicJob } from "#runtime/loops.ts";
import { forEachRetention } from "#runtime/postgres/retention.ts";
import type { Deps } from "./steps/step.ts";
import * as retention from "../store/content-retention.ts";

/** DeleteWebhooks takes no more at a time. */
const GENERATIONS_PER_CALL = 100;

type EraseDeps = Pick<Deps, "sql" | "clock" | "delivery">;

/** Every process runs it; two can do the same work at once without harm. */
export function eraseJob(deps: EraseDeps): PeriodicJob {
  return {
    name: "erase content that is no longer kept",
    firstAfterMs: 2 * MINUTE_MS,
    everyMs: HOUR_MS,
    run: (signal) => eraseExpired(deps, signal),
  };
}

/** Processes all accounts with a limited retention once; returns early when `signal` aborts. */
export async function eraseExpired(
  { sql, clock, delivery }: EraseDeps,
  signal?: AbortSignal,
): Promise<void> {
  /** Webhooks first: until the rows are changed, the whole is repeated at the next turn. */
  const eraseOlder = async (accountId: string, endedBefore: Date) => {
    while (!signal?.aborted) {
      const older = { accountId, endedBefore };
      const ids = await retention.listWithContent(sql, older, GENERATIONS_PER_CALL);
      if (ids.length === 0) return;
      const options = signal ? { signal } : {};
      await delivery.deleteWebhooks({ accountId, generationIds: ids }, options);
      await retention.eraseContentIfDone(sql, accountId, ids, clock.now());
    }
  };
  await forEachRetention(clock, await retention.listLimitedRetentions(sql), eraseOlder, signal);
}
