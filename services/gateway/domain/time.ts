/** Days and times of requests, and spans of usage. */
import { DAY_MS } from "#runtime/clock.ts";
import { MAX_USAGE_DAYS } from "#vocabulary/public-values.ts";

/** The day in UTC: "2026-11-25". */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** More than milliseconds, of which what is stored has whole ones. */
const FINER_THAN_MS = /\.\d{3}\d*[1-9]/;

type Times = { created_after?: string | undefined; created_before?: string | undefined };

export type Bounds = ReturnType<typeof boundsOf>;

/** The bounds of a list's filter in whole milliseconds, each outside of what it lists. */
export function boundsOf({ created_after: after, created_before: before }: Times) {
  return {
    after: after === undefined ? undefined : dateOf(after),
    before: before === undefined ? undefined : dateOf(before, FINER_THAN_MS.test(before) ? 1 : 0),
  };
}

/** Times are clamped to these bounds: nothing here lies outside, and Postgres does not accept every year. */
const [EARLIEST_MS, LATEST_MS] = [0, Date.UTC(9999, 11, 31, 23, 59, 59, 999)];

/** A leap second, which JavaScript's dates do not support, becomes the second before it. `laterMs` is added. */
export function dateOf(time: string, laterMs = 0): Date {
  const ms = Date.parse(time.replace(/:60(?=\D|$)/, ":59")) + laterMs;
  return new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS));
}

/** No generation lies outside, and Postgres does not accept every year. */
export const USAGE_DAYS = { first: "1970-01-01", last: "9998-12-31" };

/**
 * From the first of the month (UTC) of `to`, and to today, by default, or to the last day that `from` allows. Undefined if
 * the span is empty or longer than MAX_USAGE_DAYS. `end` is exclusive: the day after `to`.
 */
export function usageSpan(
  now: Date,
  query: { from?: string | undefined; to?: string | undefined },
) {
  const today = dayOf(now);
  const last = query.to ?? today;
  const from = query.from ?? `${last.slice(0, 7)}-01`;
  const most = dateAfter(from, MAX_USAGE_DAYS - 1);
  const to = query.to === undefined && last > most ? most : last;
  if (from > to || to > most) return undefined;
  return { from, to, begin: new Date(from), end: new Date(dateAfter(to, 1)) };
}

function dateAfter(date: string, days: number): string {
  return dayOf(new Date(Date.parse(date) + days * DAY_MS));
}
