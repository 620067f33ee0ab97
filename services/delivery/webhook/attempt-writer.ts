/** Records finished attempts, many in one statement. */
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import {
  recordAttemptsIfLeased,
  type FinishedAttempt,
  type RecordResult,
} from "../store/webhook-attempts.ts";

/** A URL whose attempts have all failed for this long is disabled. */
const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;
/** Attempts that no host slot waits for are written in groups: when one is this large, or this old. */
const MAX_GROUP_ATTEMPTS = 64;
const MAX_GROUP_AGE_MS = 25;
const MAX_GROUPS_PER_STATEMENT = 8;
const MAX_WAITING_GROUPS = 10_000;

/** Writes an attempt: at once and with everything that waits if `isAwaited`, else with the next group. */
export type WriteAttempt = (
  finished: FinishedAttempt,
  how: { isAwaited: boolean },
) => Promise<RecordResult>;

type PendingWrite = PromiseWithResolvers<RecordResult> & { finished: FinishedAttempt };

/** The returned function rejects if the attempt could not be written, alone or in a group. */
export function attemptWriter({ sql, clock }: { sql: Sql; clock: Clock }): WriteAttempt {
  const write = batchByKey<readonly FinishedAttempt[], RecordResult[]>({
    run: async (_, groups) => {
      const results = await recordAttemptsIfLeased(sql, groups.flat(), DISABLE_AFTER_MS);
      return groups.map(({ length }) => results.splice(0, length));
    },
    maxBatch: MAX_GROUPS_PER_STATEMENT,
    queue: {
      max: MAX_WAITING_GROUPS,
      full: () => new Error("too many attempts wait to be written"),
    },
  });
  let gathered: PendingWrite[] = [];

  const flush = () => {
    const group = gathered;
    gathered = [];
    if (group.length > 0) void settle(group);
  };
  const settle = async (group: readonly PendingWrite[]): Promise<void> => {
    try {
      const results = await write(
        "",
        group.map(({ finished }) => finished),
      );
      group.forEach(({ resolve }, index) =>
        resolve(results[index] ?? { leaseHeld: false, urlDisabled: false }),
      );
    } catch (error) {
      // Each is written alone, so that one that cannot be written does not fail the others.
      if (group.length === 1) group[0]?.reject(error);
      else for (const one of group) void settle([one]);
    }
  };

  return (finished, { isAwaited }) => {
    const pending = { ...Promise.withResolvers<RecordResult>(), finished };
    gathered.push(pending);
    if (isAwaited || gathered.length >= MAX_GROUP_ATTEMPTS) flush();
    else if (gathered.length === 1) void clock.sleep(MAX_GROUP_AGE_MS).then(flush);
    return pending.promise;
  };
}
