/** What a generation costs, in Tokens: every started billing unit is charged whole. */
import type { Pricing } from "#gen/proto/media/generation/v1/generation_pb.ts";

/** The price of a video of `seconds`. */
export function videoTokens(pricing: Pricing, seconds: number): bigint {
  return BigInt(Math.ceil(seconds / pricing.unitQuantity)) * pricing.tokens;
}

/** The price of an image of `size` made with `references` reference images. */
export function imageTokens(pricing: Pricing, size: string, references: number): bigint {
  const tier = pricing.tiers.find((one) => one.sizes.includes(size));
  const perReference = pricing.tokensPerReferenceImage ?? 0n;
  return (tier?.tokens ?? pricing.tokens) + BigInt(references) * perReference;
}
