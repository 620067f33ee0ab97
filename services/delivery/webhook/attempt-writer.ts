/** Writes what came of attempts, many in one statement. */
import { batchByKey } from "#runtime/batch.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { recordAttemptsIfLeased } from "../store/webhook-attempts.ts";
import type { EndedAttempt, Recorded } from "../store/webhook-attempts.ts";

/** A URL that only failed for so long is disabled. */
const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;
/** What nobody waits for is written with others: once so many wait, and no later than this. */
const ENOUGH = 64;
const LATEST_MS = 25;
const MOST_GROUPS = 8;
const MOST_WAITING_GROUPS = 10_000;

export type WriteAttempt = (ended: EndedAttempt, how: { isAwaited: boolean }) => Promise<Recorded>;

type Waiting = PromiseWithResolvers<Recorded> & { ended: EndedAttempt };

export function attemptWriter({ sql, clock }: { sql: Sql; clock: Clock }): WriteAttempt {
  const write = batchByKey<readonly EndedAttempt[], Recorded[]>({
    run: async (_, groups) => {
      const recorded = await recordAttemptsIfLeased(sql, groups.flat(), DISABLE_AFTER_MS);
      return groups.map(({ length }) => recorded.splice(0, length));
    },
    maxBatch: MOST_GROUPS,
    maxQueue: MOST_WAITING_GROUPS,
    full: () => new Error("too many attempts wait to be written"),
  });
  let gathered: Waiting[] = [];

  const flush = () => {
    const group = gathered;
    gathered = [];
    if (group.length > 0) void settle(group);
  };
  const settle = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const recorded = await write(
        "",
        group.map(({ ended }) => ended),
      );
      group.forEach(({ resolve }, index) =>
        resolve(recorded[index] ?? { isOurs: false, disabledUrl: false }),
      );
    } catch (error) {
      // One that cannot be written must not keep the others from it.
      if (group.length === 1) group[0]?.reject(error);
      else for (const one of group) void settle([one]);
    }
  };

  return (ended, { isAwaited }) => {
    const waiting = { ...Promise.withResolvers<Recorded>(), ended };
    gathered.push(waiting);
    if (isAwaited || gathered.length >= ENOUGH) flush();
    else if (gathered.length === 1) void clock.sleep(LATEST_MS).then(flush);
    return waiting.promise;
  };
}
