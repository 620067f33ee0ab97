/** Goes through the accounts that keep something for a limited number of days. */
import { DAY_MS, addMs, type Clock } from "../clock.ts";
import { isDatabaseUnavailable } from "./limits.ts";

export type LimitedRetention = { accountId: string; days: number };

/**
 * Calls `remove` for each account with the time before which nothing is kept; returns early when `signal` aborts. Rejects
 * when some could not be removed, once it has tried all the others, or when Postgres is unavailable.
 */
export async function forEachRetention(
  clock: Clock,
  retentions: readonly LimitedRetention[],
  remove: (accountId: string, before: Date) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const { accountId, days } of retentions) {
    if (signal?.aborted) break;
    try {
      await remove(accountId, addMs(clock.now(), -days * DAY_MS));
    } catch (error) {
      if (isDatabaseUnavailable(error) || signal?.aborted) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) {
    throw new AggregateError(
      errors,
      `${errors.length} accounts keep too much: ${String(errors[0])}`,
    );
  }
}
