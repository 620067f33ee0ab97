/** Goes through the accounts that keep something for a limited number of days. */
import { addMs } from "./clock.ts";
import type { Clock } from "./clock.ts";

export type LimitedRetention = { accountId: string; days: number };

/** Up to `limit` accounts after one, in order of id. */
export type ListLimitedRetentions = (after: string, limit: number) => Promise<LimitedRetention[]>;

const ACCOUNTS_PER_PAGE = 500;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Calls `remove` for each account with the time before which nothing is kept; returns early when `signal` aborts. */
export async function forEachRetention(
  { clock, list }: { clock: Clock; list: ListLimitedRetentions },
  remove: (accountId: string, before: Date) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  let after = "";
  while (!signal?.aborted) {
    const page = await list(after, ACCOUNTS_PER_PAGE);
    for (const { accountId, days } of page) {
      await remove(accountId, addMs(clock.now(), -days * DAY_MS));
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.accountId;
  }
}
