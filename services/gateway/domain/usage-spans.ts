/** Spans of usage, and what they are grouped by. */
import { MAX_USAGE_DAYS } from "#vocabulary/public-values.ts";
import { dayOf } from "./time.ts";

const DAY_MS = 24 * 60 * 60_000;

/** No generation lies outside, and Postgres does not accept every year. */
export const USAGE_DAYS = { first: "1970-01-01", last: "9998-12-31" };

/** `end` is exclusive: the day after `to`. */
export type UsageSpan = { from: string; to: string; begin: Date; end: Date };

/**
 * From the first of the month (UTC) of `to`, and to today, by default, or to the last day that `from` allows. Undefined if
 * the span is empty or longer than MAX_USAGE_DAYS.
 */
export function usageSpan(
  now: Date,
  query: { from?: string | undefined; to?: string | undefined },
): UsageSpan | undefined {
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
