/** The price of a request. */
import type { ImageBody, Model, VideoBody, WithPictures } from "./http/types.ts";

type Video = WithPictures<VideoBody>;
type Image = WithPictures<ImageBody>;
type Pricing = NonNullable<Model["pricing"]>;
type Durations = NonNullable<Model["durations"]>;

/** The price in Tokens of a create with `body`; undefined where the catalog has none, or the model does not take its values. */
export function quoteTokens(model: Model, body: Video | Image): number | undefined {
  if (!model.pricing || !takesValues(model, body)) return undefined;
  return model.kind === "video"
    ? videoTokens(model, model.pricing, body as Video)
    : imageTokens(model, model.pricing, body as Image);
}

/** Whether the model takes the values of its own fields; one without `n` makes one image. */
function takesValues({ parameters }: Model, body: Video | Image): boolean {
  const own: Model["parameters"] = { n: { max: 1 }, ...parameters };
  return Object.entries(own).every(([field, { values, max = Infinity }]) => {
    const value = (body as Record<string, unknown>)[field];
    if (typeof value === "string") return values?.includes(value) ?? true;
    return typeof value !== "number" || (Number.isInteger(value) && value <= max);
  });
}

function videoTokens({ durations }: Model, pricing: Pricing, body: Video): number | undefined {
  const seconds = body.duration ?? durations?.default;
  if (!durations || seconds === undefined || !makes(durations, seconds)) return undefined;
  const units = Math.ceil(seconds / pricing.unit_quantity);
  const perUnit = pricing.tokens + surcharge(pricing, body);
  return units * perUnit + references(pricing, body.reference_images);
}

/** Whether a model makes videos of that length. */
export function makes({ min, max, step }: Durations, seconds: number): boolean {
  return seconds >= min && seconds <= max && (seconds - min) % step === 0;
}

function imageTokens(model: Model, pricing: Pricing, body: Image): number | undefined {
  const size = body.size ?? model.default_size ?? "";
  const tier = pricing.tiers?.find(({ sizes }) => sizes.includes(size));
  if (pricing.tiers && !tier) return undefined;
  const { tokens } = tier ?? pricing;
  return (body.n ?? 1) * (tokens + surcharge(pricing, body) + references(pricing, body.image_urls));
}

function references(pricing: Pricing, images: readonly unknown[] | null | undefined): number {
  return (images?.length ?? 0) * (pricing.tokens_per_reference_image ?? 0);
}

function surcharge({ surcharges = [] }: Pricing, body: Video | Image): number {
  return surcharges
    .filter(({ parameter, value }) => {
      const asked = (body as Record<string, string | number | boolean | null>)[parameter] ?? null;
      return asked !== null && (value === undefined || String(asked) === value);
    })
    .reduce((sum, { tokens }) => sum + tokens, 0);
}
