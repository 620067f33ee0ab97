/** Says models of the catalog: a line for each, and which may be meant by an id that is none. */
import { didYouMean } from "../http/nearest.ts";
import type { Model } from "../index.ts";
import { tokensText } from "./progress-display.ts";
import { tableLines } from "./table.ts";

/** For each model its id, kind and price, in columns. */
export function modelLines(models: readonly Model[]): string[] {
  return tableLines(models.map((model) => [model.id, model.kind, priceText(model)]));
}

/** That there is no such model, which may be meant, and which there are. */
export function noModelText(id: string, models: readonly Model[]): string {
  const meant = didYouMean(
    id,
    models.map((model) => model.id),
  );
  return `There is no model ${id}${meant ? `.${meant}` : ""}`;
}

export function linesOf(models: readonly Model[]): string {
  return modelLines(models)
    .map((line) => `  ${line}`)
    .join("\n");
}

export function priceText({ availability, pricing }: Model): string {
  if (availability !== "available") return "unavailable";
  if (!pricing) return "no price";
  const { tokens, unit, unit_quantity: quantity } = pricing;
  return `${tokensText(tokens)} per ${quantity === 1 ? unit : `${quantity} ${unit}s`}`;
}
