/** The arithmetic of the chart: where its lines and bars stand, and which colour a model has. */
import type { Schemas } from "../../api/client.ts";

type Day = Pick<Schemas["UsageDay"], "models">;

/** Told apart from each other and from both backgrounds. */
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

const LINES = 4;
const NICE = [1, 2, 2.5, 5, 10];

/** Round steps from 0 to at least `most`. */
export function scale(most: number): { top: number; ticks: number[] } {
  const rough = Math.max(most, 1) / LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = NICE.find((one) => one * power >= rough) ?? 10;
  const step = Math.max(1, nice * power);
  const count = Math.ceil(Math.max(most, 1) / step);
  return { top: step * count, ticks: Array.from({ length: count + 1 }, (_, n) => n * step) };
}

/** All models of these days, in an order that does not change from day to day. */
export function modelsOf(days: readonly Day[]): string[] {
  return [...new Set(days.flatMap((day) => day.models.map(({ model }) => model)))].toSorted();
}

export function colorOf(model: string, models: readonly string[]): string {
  return COLORS[models.indexOf(model) % COLORS.length] ?? "#64748b";
}

/** One day's bars, each standing on the one before. */
export function bars(
  day: Day,
  models: readonly string[],
): { model: string; from: number; to: number }[] {
  let from = 0;
  return models.flatMap((model) => {
    const used = day.models.find((one) => one.model === model)?.tokens ?? 0;
    if (used === 0) return [];
    const bar = { model, from, to: from + used };
    from = bar.to;
    return [bar];
  });
}
