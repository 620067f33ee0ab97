/** The chart's geometry: axis ticks, bar positions, and the colour of each model. */
import type { Schemas } from "../../api/client.ts";

type Day = Pick<Schemas["UsageDay"], "models">;

/** Distinguishable from each other and from the light and dark background. */
const COLORS = [
  "#6366f1",
  "#0d9488",
  "#d97706",
  "#db2777",
  "#0284c7",
  "#65a30d",
  "#9333ea",
  "#64748b",
];

const GRID_LINES = 4;
/** Multiples of a power of ten that make round axis steps. */
const ROUND_STEPS = [1, 2, 2.5, 5, 10];

/** Axis ticks in round steps from 0 to at least `max`. */
export function scale(max: number): { top: number; ticks: number[] } {
  const rough = Math.max(max, 1) / GRID_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ROUND_STEPS.find((multiple) => multiple * power >= rough) ?? 10;
  const step = Math.max(1, round * power);
  const count = Math.ceil(Math.max(max, 1) / step);
  return { top: step * count, ticks: Array.from({ length: count + 1 }, (_, n) => n * step) };
}

/** All models of these days, sorted, so that every day stacks them in the same order. */
export function modelsOf(days: readonly Day[]): string[] {
  return [...new Set(days.flatMap((day) => day.models.map(({ model }) => model)))].toSorted();
}

export function colorOf(model: string, models: readonly string[]): string {
  return COLORS[models.indexOf(model) % COLORS.length] ?? "#64748b";
}

/** One day's bars, stacked: each starts where the one before ends. */
export function bars(
  day: Day,
  models: readonly string[],
): { model: string; from: number; to: number }[] {
  let from = 0;
  return models.flatMap((model) => {
    const used = day.models.find((usage) => usage.model === model)?.tokens ?? 0;
    if (used === 0) return [];
    const bar = { model, from, to: from + used };
    from = bar.to;
    return [bar];
  });
}
