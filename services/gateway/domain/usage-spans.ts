/** Spans of usage, and what they are grouped by. */
import type { components } from "#gen/openapi/dashboard.ts";
import { MAX_USAGE_DAYS } from "#vocabulary/public-values.ts";
import { dayOf } from "./time.ts";

type UsageDay = components["schemas"]["UsageDay"];

const DAY_MS = 24 * 60 * 60_000;

export type UsageRow = { date: string; model: string; tokens: bigint; generations: bigint };

/** The last `count` days in UTC including today; `to` is exclusive, the end of today. */
export function lastDays(now: Date, count: number): { from: Date; to: Date; dates: string[] } {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const startsMs = Array.from({ length: count }, (_, i) => today - (count - 1 - i) * DAY_MS);
  return {
    from: new Date(startsMs[0] ?? today),
    to: new Date(today + DAY_MS),
    dates: startsMs.map((ms) => dayOf(new Date(ms))),
  };
}

/** One entry for each of `dates`, its models sorted by name. */
export function usageByDay(dates: readonly string[], rows: readonly UsageRow[]): UsageDay[] {
  return dates.map((date) => {
    const models = rows
      .filter((row) => row.date === date)
      .toSorted((a, b) => a.model.localeCompare(b.model))
      .map(({ model, tokens, generations }) => ({
        model,
        tokens: Number(tokens),
        generations: Number(generations),
      }));
    return { date, tokens: models.reduce((sum, { tokens }) => sum + tokens, 0), models };
  });
}

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
