/** Says models of the catalog: a line for each, and which may be meant by an id that is none. */
import { didYouMean } from "../http/nearest.ts";
import type { Model } from "../index.ts";
import { tokensText } from "./progress-display.ts";

/** A model's id, kind and price. */
export function modelLine({ id, kind, pricing, availability }: Model): string {
  const price = pricing ? priceText(pricing) : "no price";
  return `${id}  ${kind}, ${availability === "available" ? price : "unavailable"}`;
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
  return models.map((model) => `  ${modelLine(model)}`).join("\n");
}

function priceText({ tokens, unit, unit_quantity: quantity }: NonNullable<Model["pricing"]>) {
  return `${tokensText(tokens)} per ${quantity === 1 ? unit : `${quantity} ${unit}s`}`;
}
