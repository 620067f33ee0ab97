/** Says models of the catalog, in a line for each. */
import type { Model } from "../index.ts";
import { tokensText } from "./progress-display.ts";
import { tableLines } from "./table.ts";

/** For each model its id, kind and price, in columns. */
export function modelLines(models: readonly Model[]): string[] {
  return tableLines(models.map((model) => [model.id, model.kind, priceText(model)]));
}

export function priceText({ availability, pricing }: Model): string {
  if (availability !== "available") return "unavailable";
  if (!pricing) return "no price";
  const { tokens, unit, unit_quantity: quantity } = pricing;
  return `${tokensText(tokens)} per ${quantity === 1 ? unit : `${quantity} ${unit}s`}`;
}
