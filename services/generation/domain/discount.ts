/** Prices after an account's discount: each unit price is cut and rounded up to a whole Token (contract.md, Catalog data). */
import { create } from "@bufbuild/protobuf";
import {
  ModelSchema,
  PricingSchema,
  PricingTierSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Model, Pricing } from "#gen/proto/media/generation/v1/generation_pb.ts";

/** Basis points by model; the empty name stands for all models. */
export type Discounts = ReadonlyMap<string, number>;

const WHOLE = 10_000n;

/** The model at the account's own prices; the list price stands beside each that differs. */
export function discounted(model: Model, discounts: Discounts): Model {
  const basisPoints = discounts.get(model.id) ?? discounts.get("") ?? 0;
  if (!model.pricing || basisPoints === 0) return model;
  return create(ModelSchema, { ...model, pricing: cutPricing(model.pricing, basisPoints) });
}

function cutPricing(pricing: Pricing, basisPoints: number): Pricing {
  const cut = (tokens: bigint) => cutPrice(tokens, basisPoints);
  const listed = (tokens: bigint) => (cut(tokens) === tokens ? {} : { listTokens: tokens });
  const perReference = pricing.tokensPerReferenceImage;
  return create(PricingSchema, {
    ...pricing,
    tokens: cut(pricing.tokens),
    ...listed(pricing.tokens),
    tiers: pricing.tiers.map((tier) =>
      create(PricingTierSchema, { ...tier, tokens: cut(tier.tokens), ...listed(tier.tokens) }),
    ),
    ...(perReference === undefined ? {} : { tokensPerReferenceImage: cut(perReference) }),
  });
}

/** Rounded up, so that a discount never makes a price of 0 out of a price, except at 10,000 basis points. */
export function cutPrice(tokens: bigint, basisPoints: number): bigint {
  return (tokens * (WHOLE - BigInt(basisPoints)) + WHOLE - 1n) / WHOLE;
}
