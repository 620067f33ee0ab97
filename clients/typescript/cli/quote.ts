/** The price of a request, for input that the model takes. */
import type { ImageRequest, Model, VideoRequest } from "../index.ts";
import type { Request } from "./create-request.ts";

/** The price in Tokens, from the catalog; undefined where the model has no price or does not take the input. */
export function quoteTokens(model: Model, request: Request): bigint | undefined {
  if (model.availability !== "available" || !model.pricing) return undefined;
  return request.kind === "video"
    ? videoTokens(model, model.pricing, request.body)
    : imageTokens(model, model.pricing, request.body);
}

type Pricing = NonNullable<Model["pricing"]>;

function videoTokens(model: Model, pricing: Pricing, body: VideoRequest): bigint | undefined {
  const seconds = body.duration ?? model.durations?.default;
  const ratio = body.aspect_ratio ?? model.default_aspect_ratio;
  const isTaken =
    typeof seconds === "number" &&
    takesDuration(model, seconds) &&
    (typeof ratio !== "string" || (model.aspect_ratios ?? []).includes(ratio)) &&
    takesImages(model, body.image_url ? 1 : 0);
  if (!isTaken) return undefined;
  return BigInt(Math.ceil(seconds / pricing.unit_quantity)) * BigInt(pricing.tokens);
}

function imageTokens(model: Model, pricing: Pricing, body: ImageRequest): bigint | undefined {
  const size = body.size ?? model.default_size ?? "";
  const tier = pricing.tiers?.find(({ sizes }) => sizes.includes(size));
  const references = body.image_urls?.length ?? 0;
  if (!tier || !takesImages(model, references)) return undefined;
  return BigInt(tier.tokens) + BigInt(references) * BigInt(pricing.tokens_per_reference_image ?? 0);
}

function takesDuration({ durations }: Model, seconds: number): boolean {
  if (!durations) return false;
  const { min, max, step } = durations;
  return seconds >= min && seconds <= max && (seconds - min) % step === 0;
}

function takesImages(
  { inputs, required_inputs: required, max_reference_images: max }: Model,
  count: number,
) {
  if (count === 0) return !required.includes("image");
  return inputs.includes("image") && count <= max;
}
