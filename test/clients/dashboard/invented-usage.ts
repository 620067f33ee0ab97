/** A month of usage for the pictures: it cannot be had from a service that is a minute old. */
import type { components } from "#gen/openapi/dashboard.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;

const MODELS = [
  { model: "alpha-2.0", tokens: 210, most: 9 },
  { model: "beta-3.0-video", tokens: 500, most: 5 },
  { model: "gamma-image-3.0-pro", tokens: 42, most: 23 },
];

export function inventedUsage(nowMs: number): components["schemas"]["Usage"] {
  const days = Array.from({ length: DAYS }, (_, index) => {
    const date = new Date(nowMs - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const models = MODELS.map(({ model, tokens, most }, which) => {
      const generations = (index * 7 + which * 5 + index * index) % most;
      return { model, generations, tokens: generations * tokens };
    }).filter(({ generations }) => generations > 0);
    return { date, models, tokens: models.reduce((sum, one) => sum + one.tokens, 0) };
  });
  const all = days.flatMap(({ models }) => models);
  return {
    object: "usage",
    mode: "live",
    tokens: all.reduce((sum, one) => sum + one.tokens, 0),
    generations: all.reduce((sum, one) => sum + one.generations, 0),
    days,
  };
}
