/** Usage by day and model, including the days without any. */
import type { components } from "#gen/openapi/dashboard.ts";
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
