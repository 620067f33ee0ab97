/** The values of the playground's form, and the request and price computed from them. */
import type { Generation, Mode, Model, Schemas } from "../../api/client.ts";

export type FormValues = {
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
  /** The outcome the simulator produces in test mode; "" means success. */
  simulate: string;
};

export type FieldsProps = {
  model: Model;
  values: FormValues;
  onChange: (change: Partial<FormValues>) => void;
};

type VideoBody = Schemas["CreateVideoGenerationRequest"];
type ImageBody = Schemas["CreateImageGenerationRequest"];

export const EMPTY: FormValues = {
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

/** The values, with each one that `model` does not accept replaced by the model's default. */
export function fitToModel(values: FormValues, model: Model): FormValues {
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

/** The values of a new form: empty, or those of an earlier generation's input. */
export function initialValues(model: Model, input?: Generation["input"]): FormValues {
  if (input === undefined) return fitToModel(EMPTY, model);
  const shared = { ...EMPTY, prompt: input.prompt, negativePrompt: input.negative_prompt ?? "" };
  const { simulate = "" } = input.metadata;
  if ("duration" in input) {
    const { duration, aspect_ratio: aspectRatio, image_url: imageUrl = "" } = input;
    const webhookUrl = input.webhook_url ?? "";
    return fitToModel({ ...shared, duration, aspectRatio, imageUrl, webhookUrl, simulate }, model);
  }
  const { image_urls: imageUrls, size, prompt_extend: promptExtend, seed } = input;
  return fitToModel({ ...shared, imageUrls, size, promptExtend, seed, simulate }, model);
}

export type Request = { kind: "video"; body: VideoBody } | { kind: "image"; body: ImageBody };

/** The request that Generate sends: what the model accepts of the values. */
export function requestOf(entered: FormValues, model: Model, mode: Mode): Request {
  const values = fitToModel(entered, model);
  return model.kind === "video"
    ? { kind: model.kind, body: videoBody(values, model, mode) }
    : { kind: model.kind, body: imageBody(values, model, mode) };
}

function videoBody(values: FormValues, model: Model, mode: Mode): VideoBody {
  return {
    model: model.id,
    prompt: values.prompt,
    ...(values.imageUrl && { image_url: values.imageUrl }),
    duration: values.duration,
    aspect_ratio: values.aspectRatio,
    ...(values.negativePrompt && { negative_prompt: values.negativePrompt }),
    ...(values.webhookUrl && { webhook_url: values.webhookUrl }),
    ...simulation(values, mode),
  };
}

function imageBody(values: FormValues, model: Model, mode: Mode): ImageBody {
  const imageUrls = values.imageUrls.filter((url) => url !== "");
  return {
    model: model.id,
    prompt: values.prompt,
    ...(imageUrls.length > 0 && { image_urls: imageUrls }),
    size: values.size,
    ...(values.negativePrompt && { negative_prompt: values.negativePrompt }),
    ...(!values.promptExtend && { prompt_extend: false }),
    ...(values.seed !== undefined && { seed: values.seed }),
    ...simulation(values, mode),
  };
}

function simulation({ simulate }: FormValues, mode: Mode) {
  return mode === "test" && simulate !== "" ? { metadata: { simulate } } : {};
}

/** The price in Tokens of a generation with these values; undefined where the model has no verified price. */
export function tokenPrice(values: FormValues, { pricing }: Model): number | undefined {
  if (!pricing) return undefined;
  if (pricing.unit === "second") {
    return Math.ceil(values.duration / pricing.unit_quantity) * pricing.tokens;
  }
  const tier = pricing.tiers?.find(({ sizes }) => sizes.includes(values.size));
  const references = values.imageUrls.filter((url) => url !== "").length;
  return (tier?.tokens ?? pricing.tokens) + references * (pricing.tokens_per_reference_image ?? 0);
}

/** How the price is calculated, as text. */
export function priceExplanation(values: FormValues, { pricing }: Model): string {
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
