/** A month of made-up usage for the screenshots, which a newly started service does not have. */
import type { components } from "#gen/openapi/dashboard.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;

const MODELS = [
  { model: "alpha-2.0", tokens: 210, maxGenerations: 9 },
  { model: "beta-3.0-video", tokens: 500, maxGenerations: 5 },
  { model: "gamma-image-3.0-pro", tokens: 42, maxGenerations: 23 },
];

export function sampleUsage(nowMs: number): components["schemas"]["UsageGroups"] {
  const dates = Array.from({ length: DAYS }, (_, index) =>
    new Date(nowMs - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const data = dates.flatMap((date, index) =>
    MODELS.map(({ model, tokens, maxGenerations }, modelIndex) => {
      const generations = (index * 7 + modelIndex * 5 + index * index) % maxGenerations;
      return { date, model, generations, tokens: generations * tokens };
    }).filter(({ generations }) => generations > 0),
  );
  return { object: "usage.groups", from: dates[0] ?? "", to: dates.at(-1) ?? "", data };
}
