/** The values of the playground's form, and the request and price computed from them. */
import type { Generation, Mode, Model, Schemas } from "../../api/client.ts";
import { quoteTokens } from "../../../../typescript/quote.ts";

export type ReferenceImage = Schemas["ReferenceImage"];

export type FormValues = {
  prompt: string;
  negativePrompt: string;
  imageUrl: string;
  duration: number;
  aspectRatio: string;
  webhookUrl: string;
  /** Who of the user's own customers it is for; "" means absent. */
  endUser: string;
  imageUrls: readonly string[];
  size: string;
  promptExtend: boolean;
  seed: number | undefined;
  referenceImages: readonly ReferenceImage[];
  /** The other optional fields that models declare, as text, by their names in a request; "" means absent. */
  parameters: Readonly<Record<string, string>>;
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
  endUser: "",
  imageUrls: [],
  size: "",
  promptExtend: true,
  seed: undefined,
  referenceImages: [],
  parameters: {},
  simulate: "",
};

/** The values, with each one that `model` does not accept replaced by the model's default. */
export function fitToModel(values: FormValues, model: Model): FormValues {
  const { durations, aspect_ratios: ratios = [], sizes, parameters } = model;
  return {
    ...values,
    seed: "seed" in parameters ? values.seed : undefined,
    promptExtend: "prompt_extend" in parameters ? values.promptExtend : true,
    referenceImages: values.referenceImages.slice(0, parameters["reference_images"]?.max ?? 0),
    parameters: Object.fromEntries(
      Object.entries(values.parameters).filter(([name, value]) => isTaken(parameters[name], value)),
    ),
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

/** The fields that models declare and the form has values of their own for. */
const OWN_FIELDS = new Set(["seed", "prompt_extend", "reference_images", "negative_prompt"]);

/** The values of a new form: empty, or those of an earlier generation's input. */
export function initialValues(model: Model, input?: Generation["input"]): FormValues {
  if (input === undefined) return fitToModel(EMPTY, model);
  const shared = {
    ...EMPTY,
    prompt: input.prompt,
    negativePrompt: input.negative_prompt ?? "",
    seed: input.seed,
    webhookUrl: input.webhook_url ?? "",
    endUser: input.end_user ?? "",
    simulate: input.metadata["simulate"] ?? "",
    parameters: Object.fromEntries(
      Object.entries(input)
        .filter(([name]) => name in model.parameters && !OWN_FIELDS.has(name))
        .map(([name, value]) => [name, String(value)]),
    ),
  };
  if ("duration" in input) {
    const { duration, aspect_ratio: aspectRatio, image_url: imageUrl = "" } = input;
    const referenceImages = (input.reference_images ?? []) as ReferenceImage[];
    const values = { ...shared, duration, aspectRatio, imageUrl, referenceImages };
    return fitToModel(values, model);
  }
  const { image_urls: imageUrls, size, prompt_extend: promptExtend } = input;
  return fitToModel({ ...shared, imageUrls, size, promptExtend }, model);
}

/** Whether the model declares the field, and with that value where it lists values. */
function isTaken(parameter: Schemas["ModelParameter"] | undefined, value: string): boolean {
  return parameter !== undefined && value !== "" && (parameter.values?.includes(value) ?? true);
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
  const referenceImages = values.referenceImages.filter(({ url }) => url !== "");
  return {
    model: model.id,
    prompt: values.prompt,
    ...(values.imageUrl && { image_url: values.imageUrl }),
    duration: values.duration,
    aspect_ratio: values.aspectRatio,
    ...(values.seed !== undefined && { seed: values.seed }),
    ...(referenceImages.length > 0 && { reference_images: referenceImages }),
    ...parametersOf(values),
    ...(values.negativePrompt && { negative_prompt: values.negativePrompt }),
    ...(values.webhookUrl && { webhook_url: values.webhookUrl }),
    ...(values.endUser && { end_user: values.endUser }),
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
    ...parametersOf(values),
    ...(values.webhookUrl && { webhook_url: values.webhookUrl }),
    ...(values.endUser && { end_user: values.endUser }),
    ...simulation(values, mode),
  };
}

function simulation({ simulate }: FormValues, mode: Mode) {
  return mode === "test" && simulate !== "" ? { metadata: { simulate } } : {};
}

/** The fields of a request that are not texts are written as JSON. */
function parametersOf({ parameters }: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      name === "audio" || name === "n" ? (JSON.parse(value) as unknown) : value,
    ]),
  );
}

/** The price in Tokens of a generation with these values; undefined where the model has no verified price. */
export function tokenPrice(values: FormValues, model: Model, mode: Mode): number | undefined {
  const price = quoteTokens(model, requestOf(values, model, mode).body);
  return price === undefined ? undefined : Number(price);
}

/** How the price is calculated, as text. */
export function priceExplanation(values: FormValues, model: Model, mode: Mode): string {
  const { pricing } = model;
  if (!pricing) return "The price of this model is not verified yet.";
  const { kind, body } = requestOf(values, model, mode);
  const extra = (pricing.surcharges ?? []).some(({ parameter }) => parameter in body)
    ? ", and surcharges"
    : "";
  if (kind === "video") {
    const unit = pricing.unit_quantity === 1 ? "second" : `${pricing.unit_quantity} seconds`;
    return `${values.duration} seconds at ${pricing.tokens} Tokens per ${unit}${extra}`;
  }
  const tier = pricing.tiers?.find(({ sizes }) => sizes.includes(values.size));
  const references = body.image_urls?.length ?? 0;
  const picture =
    `${tier?.tier ?? ""} image ${tier?.tokens ?? pricing.tokens} Tokens`.trim() + extra;
  const perReference = pricing.tokens_per_reference_image ?? 0;
  const one =
    references === 0 ? picture : `${picture}, and ${references} × ${perReference} for references`;
  if ((body.n ?? 1) === 1) return one;
  return references === 0 ? `${body.n} × ${one}` : `${body.n} × (${one})`;
}

function accepts({ min, max, step }: Schemas["Durations"], duration: number): boolean {
  return duration >= min && duration <= max && (duration - min) % step === 0;
}
