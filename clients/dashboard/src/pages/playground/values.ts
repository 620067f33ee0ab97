/** What the playground's form holds, and the request and the price that follow from it. */
import type { Generation, Mode, Model, Schemas } from "../../api/client.ts";

export type Values = {
  prompt: string;
  negativePrompt: string;
  imageUrl: string;
  duration: number;
  aspectRatio: string;
  webhookUrl: string;
  imageUrls: readonly string[];
  size: string;
  promptExtend: boolean;
  seed: number | undefined;
  /** What the simulator is asked to do, in test mode; "" = make it. */
  simulate: string;
};

export type VideoBody = Schemas["CreateVideoGenerationRequest"];
export type ImageBody = Schemas["CreateImageGenerationRequest"];

const EMPTY: Values = {
  prompt: "",
  negativePrompt: "",
  imageUrl: "",
  duration: 0,
  aspectRatio: "",
  webhookUrl: "",
  imageUrls: [],
  size: "",
  promptExtend: true,
  seed: undefined,
  simulate: "",
};

/** The values with all that `model` does not accept put to its defaults. */
export function fitted(values: Values, model: Model): Values {
  const { durations, aspect_ratios: ratios = [], sizes } = model;
  return {
    ...values,
    imageUrl: model.inputs.includes("image") ? values.imageUrl : "",
    imageUrls: values.imageUrls.slice(0, model.max_reference_images),
    duration:
      durations && accepts(durations, values.duration)
        ? values.duration
        : (durations?.default ?? 0),
    aspectRatio: ratios.includes(values.aspectRatio)
      ? values.aspectRatio
      : (model.default_aspect_ratio ?? ""),
    size: sizes.includes(values.size) ? values.size : (model.default_size ?? ""),
  };
}

/** A fresh form, or one that repeats an earlier generation's input. */
export function startingValues(model: Model, input?: Generation["input"]): Values {
  if (input === undefined) return fitted(EMPTY, model);
  const shared = { ...EMPTY, prompt: input.prompt, negativePrompt: input.negative_prompt ?? "" };
  const { simulate = "" } = input.metadata;
  if ("duration" in input) {
    const { duration, aspect_ratio: aspectRatio, image_url: imageUrl = "" } = input;
    const webhookUrl = input.webhook_url ?? "";
    return fitted({ ...shared, duration, aspectRatio, imageUrl, webhookUrl, simulate }, model);
  }
  const { image_urls: imageUrls, size, prompt_extend: promptExtend, seed } = input;
  return fitted({ ...shared, imageUrls, size, promptExtend, seed, simulate }, model);
}

export function videoBody(values: Values, model: Model, mode: Mode): VideoBody {
  return {
    model: model.id,
    prompt: values.prompt,
    ...(values.imageUrl && { image_url: values.imageUrl }),
    duration: values.duration,
    aspect_ratio: values.aspectRatio,
    ...(values.negativePrompt && { negative_prompt: values.negativePrompt }),
    ...(values.webhookUrl && { webhook_url: values.webhookUrl }),
    ...steered(values, mode),
  };
}

export function imageBody(values: Values, model: Model, mode: Mode): ImageBody {
  const imageUrls = values.imageUrls.filter((url) => url !== "");
  return {
    model: model.id,
    prompt: values.prompt,
    ...(imageUrls.length > 0 && { image_urls: imageUrls }),
    size: values.size,
    ...(values.negativePrompt && { negative_prompt: values.negativePrompt }),
    ...(!values.promptExtend && { prompt_extend: false }),
    ...(values.seed !== undefined && { seed: values.seed }),
    ...steered(values, mode),
  };
}

function steered({ simulate }: Values, mode: Mode) {
  return mode === "test" && simulate !== "" ? { metadata: { simulate } } : {};
}

/** The Tokens that a create with these values costs; undefined where the model has no verified price. */
export function priceOf(values: Values, { pricing }: Model): number | undefined {
  if (!pricing) return undefined;
  if (pricing.unit === "second") {
    return Math.ceil(values.duration / pricing.unit_quantity) * pricing.tokens;
  }
  const tier = pricing.tiers?.find(({ sizes }) => sizes.includes(values.size));
  const references = values.imageUrls.filter((url) => url !== "").length;
  return (tier?.tokens ?? pricing.tokens) + references * (pricing.tokens_per_reference_image ?? 0);
}

/** How the price comes about, in words. */
export function priceInWords(values: Values, { pricing }: Model): string {
  if (!pricing) return "The price of this model is not verified yet.";
  if (pricing.unit === "second") {
    const unit = pricing.unit_quantity === 1 ? "second" : `${pricing.unit_quantity} seconds`;
    return `${values.duration} seconds at ${pricing.tokens} Tokens per ${unit}`;
  }
  const tier = pricing.tiers?.find(({ sizes }) => sizes.includes(values.size));
  const references = values.imageUrls.filter((url) => url !== "").length;
  const picture = `${tier?.tier ?? ""} image ${tier?.tokens ?? pricing.tokens} Tokens`.trim();
  if (references === 0) return picture;
  return `${picture}, and ${references} × ${pricing.tokens_per_reference_image ?? 0} for references`;
}

function accepts({ min, max, step }: Schemas["Durations"], duration: number): boolean {
  return duration >= min && duration <= max && (duration - min) % step === 0;
}
