/** Prices after an account's discount: each unit price is reduced and rounded up to a whole Token. */
import type { Model, Pricing } from "#gen/proto/media/generation/v1/generation_pb.ts";

/** Basis points by model id; the empty id applies to every model without its own entry. */
export type Discounts = ReadonlyMap<string, number>;

const WHOLE = 10_000n;

export function basisPointsOf({ id }: Model, discounts: Discounts): number {
  return discounts.get(id) ?? discounts.get("") ?? 0;
}

/** The model at the account's own prices, with the list price beside each price that differs. */
export function discounted(model: Model, discounts: Discounts): Model {
  const basisPoints = basisPointsOf(model, discounts);
  if (!model.pricing || basisPoints === 0) return model;
  return { ...model, pricing: discountedPricing(model.pricing, basisPoints) };
}

function discountedPricing(pricing: Pricing, basisPoints: number): Pricing {
  const reduced = <T extends { tokens: bigint }>(price: T): T => {
    const tokens = discountedPrice(price.tokens, basisPoints);
    return { ...price, tokens, ...(tokens === price.tokens ? {} : { listTokens: price.tokens }) };
  };
  const { tokensPerReferenceImage: perReference } = pricing;
  return {
    ...reduced(pricing),
    tiers: pricing.tiers.map(reduced),
    tokensPerReferenceImage: perReference && discountedPrice(perReference, basisPoints),
    surcharges: pricing.surcharges.map(reduced),
  };
}

/** Rounded up, so that only a discount of 10,000 basis points makes a price 0. */
export function discountedPrice(tokens: bigint, basisPoints: number): bigint {
  return (tokens * (WHOLE - BigInt(basisPoints)) + WHOLE - 1n) / WHOLE;
}
