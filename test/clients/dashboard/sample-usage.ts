/** A month of made-up usage for the screenshots, which a newly started service does not have. */
import type { components } from "#gen/openapi/dashboard.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;

const MODELS = [
  { model: "alpha-2.0", tokens: 210, maxGenerations: 9 },
  { model: "beta-3.0-video", tokens: 500, maxGenerations: 5 },
  { model: "gamma-image-3.0-pro", tokens: 42, maxGenerations: 23 },
];

export function sampleUsage(nowMs: number): components["schemas"]["Usage"] {
  const days = Array.from({ length: DAYS }, (_, index) => {
    const date = new Date(nowMs - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const models = MODELS.map(({ model, tokens, maxGenerations }, modelIndex) => {
      const generations = (index * 7 + modelIndex * 5 + index * index) % maxGenerations;
      return { model, generations, tokens: generations * tokens };
    }).filter(({ generations }) => generations > 0);
    return { date, models, tokens: models.reduce((sum, { tokens }) => sum + tokens, 0) };
  });
  const all = days.flatMap(({ models }) => models);
  return {
    object: "usage",
    mode: "live",
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    generations: all.reduce((sum, { generations }) => sum + generations, 0),
    days,
  };
}
