/** What a generation costs, in Tokens: whole started billing units (contract.md, Catalog data). */
import type { Pricing } from "#gen/proto/media/generation/v1/generation_pb.ts";

/** A video of `seconds`. */
export function videoTokens(pricing: Pricing, seconds: number): bigint {
  return BigInt(Math.ceil(seconds / pricing.unitQuantity)) * pricing.tokens;
}

/** An image of `size` made with `references` reference images. */
export function imageTokens(pricing: Pricing, size: string, references: number): bigint {
  const tier = pricing.tiers.find((one) => one.sizes.includes(size));
  const perReference = pricing.tokensPerReferenceImage ?? 0n;
  return (tier?.tokens ?? pricing.tokens) + BigInt(references) * perReference;
}
