/** The values of the playground's form, by the names of their fields in the API, and the request and price computed from them. */
import { makes, quoteTokens } from "../../../../typescript/quote.ts";
import { tokens } from "../../data/value-format.ts";
import type { Account, Generation, Mode, Model, Schemas } from "../../api/client.ts";

type VideoBody = Schemas["CreateVideoGenerationRequest"];
type ImageBody = Schemas["CreateImageGenerationRequest"];
type Fields<Body> = {
  [Name in Exclude<keyof Body, "model" | "metadata">]?: Body[Name] | undefined;
};

export type ReferenceImage = Schemas["ReferenceImage"];

export type FormValues = Fields<VideoBody> &
  Fields<ImageBody> & {
    /** The outcome the simulator produces in test mode; absent means success. */
    simulate?: string | undefined;
  };

export type FieldsProps = {
  model: Model;
  values: FormValues;
  onChange: (change: FormValues) => void;
};

/** The values that `model` takes, and its defaults in place of durations, ratios and sizes that it does not. */
export function fitToModel(values: FormValues, model: Model): FormValues {
  const { durations, aspect_ratios: ratios = [], sizes, parameters } = model;
  const { duration, aspect_ratio: ratio, size } = values;
  const all = Object.entries(values).filter(
    ([name, value]) => model.fields?.includes(name) && isOffered(parameters[name], value),
  );
  const taken = Object.fromEntries(all) as FormValues;
  return {
    ...taken,
    prompt: values.prompt ?? "",
    simulate: values.simulate,
    ...(durations && { duration: makes(durations, duration ?? 0) ? duration : durations.default }),
    ...(ratios.length > 0 && {
      aspect_ratio: ratios.includes(ratio ?? "") ? ratio : model.default_aspect_ratio,
    }),
    ...(sizes.length > 0 && { size: sizes.includes(size ?? "") ? size : model.default_size }),
    image_urls: taken.image_urls?.slice(0, model.max_reference_images),
    reference_images: taken.reference_images?.slice(0, parameters["reference_images"]?.max ?? 0),
  };
}

/** Those of an earlier generation. */
export function valuesOf({ model: _model, metadata, ...input }: Generation["input"]): FormValues {
  return { ...(input as FormValues), simulate: metadata["simulate"] };
}

function isOffered(parameter: Schemas["ModelParameter"] | undefined, value: unknown): boolean {
  return typeof value !== "string" || (parameter?.values?.includes(value) ?? true);
}

export type Request = { kind: "video"; body: VideoBody } | { kind: "image"; body: ImageBody };

/** What the fields of the prompt and the image show while they are empty. */
export const EXAMPLES = {
  prompt: "A cat asleep on a warm radiator, snow outside the window",
  image_url: "https://images.example.com/garden.jpg",
};

/** The request that Generate sends: what the model accepts of the values. With `isSample` empty fields that it needs have examples. */
export function requestOf(typed: FormValues, model: Model, mode: Mode, isSample = false): Request {
  const { simulate, ...values } = fitToModel(typed, model);
  const fields = Object.entries(values)
    .map(([name, value]) => [name, Array.isArray(value) ? value.filter(isFilled) : value])
    .filter(([name, value]) => isFilled(value) && !(name === "prompt_extend" && value === true));
  const needsImage = isSample && model.required_inputs.includes("image");
  const body = {
    model: model.id,
    prompt: isSample ? EXAMPLES.prompt : "",
    ...(needsImage && { image_url: EXAMPLES.image_url }),
    ...Object.fromEntries(fields),
    ...(mode === "test" && simulate && { metadata: { simulate } }),
  };
  return { kind: model.kind, body } as Request;
}

function isFilled(value: unknown): boolean {
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? value.length > 0 : (value as ReferenceImage).url !== "";
  }
  return value !== undefined && value !== null && value !== "";
}

/** The price in Tokens of a generation with these values; undefined where the model has no verified price. */
export function tokenPrice(values: FormValues, model: Model, mode: Mode): number | undefined {
  return quoteTokens(model, requestOf(values, model, mode).body);
}

/** Whether Generate asks before it sends a request of this price. */
export function asksFirst(price: number | undefined, account: Account, mode: Mode): boolean {
  return mode === "live" && (price ?? 0) > (account.confirm_above_tokens ?? Infinity);
}

/** How Generate looks: in live mode it has another colour and names the price. */
export function generateButton(price: number | undefined, mode: Mode) {
  const isPriced = mode === "live" && price !== undefined;
  return {
    color: mode === "live" ? "teal.9" : "indigo",
    children: isPriced ? `Generate for ${tokens(price)} Tokens` : "Generate",
  };
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
    return `${body.duration} seconds at ${pricing.tokens} Tokens per ${unit}${extra}`;
  }
  const tier = pricing.tiers?.find(({ sizes }) => sizes.includes(body.size ?? ""));
  const references = body.image_urls?.length ?? 0;
  const picture =
    `${tier?.tier ?? ""} image ${tier?.tokens ?? pricing.tokens} Tokens`.trim() + extra;
  const perReference = pricing.tokens_per_reference_image ?? 0;
  const one =
    references === 0 ? picture : `${picture}, and ${references} × ${perReference} for references`;
  if ((body.n ?? 1) === 1) return one;
  return references === 0 ? `${body.n} × ${one}` : `${body.n} × (${one})`;
}
