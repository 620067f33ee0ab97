/** Checks a request against its model's rules, fills in defaults and prices it. */
import { create } from "@bufbuild/protobuf";
import {
  Availability,
  type Durations,
  type ImageInput,
  ImageInputSchema,
  Kind,
  type Model,
  type Pricing,
  type VideoInput,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import {
  doesNotTake,
  isOfOtherRoute,
  noSuchModel,
  takesAs,
  usableLike,
  whatModelTakes,
} from "#vocabulary/what-model-takes.ts";
import { asksFor, notTaken } from "./parameters.ts";

export type Input = VideoInput | ImageInput;

export function isVideo(input: Input): input is VideoInput {
  return input.$typeName === VideoInputSchema.typeName;
}

export type PlanFault = { reason: ErrorReason; field: string; message: string };

export type Plan = { input: Input; defaulted: string[]; tokens: bigint };

/** Either every fault of the request, or a plan. */
export type Planned =
  | { kind: "refused"; faults: [PlanFault, ...PlanFault[]] }
  | { kind: "planned"; plan: Plan };

/** `model` has the caller's prices and availability in its mode. `all` serves refusals only. */
export function planGeneration(
  modelId: string,
  model: Model | undefined,
  given: Input,
  all: () => readonly Model[],
): Planned {
  const kind = isVideo(given) ? Kind.VIDEO : Kind.IMAGE;
  const unusable = unusableFault(modelId, model, kind, all);
  if (unusable) return { kind: "refused", faults: [unusable] };
  if (!model?.pricing) throw new Error("a usable model has a price");
  const { input, defaulted } = withDefaults(model, given);
  const faults: PlanFault[] = [];
  const add: Add = (reason, field, message) => void faults.push({ reason, field, message });
  if (isVideo(input)) checkVideo(model, input, all, add);
  else checkImage(model, input, all, add);
  const [first, ...more] = [...faults, ...parameterFaults(model, input, all)];
  if (first) return { kind: "refused", faults: [first, ...more] };
  return { kind: "planned", plan: { input, defaulted, tokens: priceOf(model.pricing, input) } };
}

/** The request with the model's defaults for the fields that the client omitted; `defaulted` names those fields. */
export function withDefaults(
  model: Model | undefined,
  given: Input,
): { input: Input; defaulted: string[] } {
  if (isVideo(given)) {
    const { duration = model?.durations?.default, aspectRatio = model?.defaultAspectRatio } = given;
    const input = create(VideoInputSchema, { ...given, duration, aspectRatio });
    const defaulted = omitted({ duration: given.duration, aspect_ratio: given.aspectRatio });
    return { input, defaulted };
  }
  const { size = model?.defaultSize, promptExtend = true } = given;
  const input = create(ImageInputSchema, { ...given, size, promptExtend });
  const defaulted = omitted({ size: given.size, prompt_extend: given.promptExtend });
  return { input, defaulted };
}

function omitted(fields: Record<string, unknown>): string[] {
  return Object.keys(fields).filter((name) => fields[name] === undefined);
}

function unusableFault(
  modelId: string,
  model: Model | undefined,
  kind: Kind,
  all: () => readonly Model[],
): PlanFault | undefined {
  const fault = (reason: ErrorReason, message: string) => ({ reason, field: "model", message });
  if (!model) return fault(ErrorReason.MODEL_NOT_FOUND, noSuchModel(modelId, all(), kind));
  if (model.kind !== kind) return fault(ErrorReason.MODEL_KIND_MISMATCH, isOfOtherRoute(model));
  if (model.availability === Availability.AVAILABLE && model.pricing) return undefined;
  const why = unavailableReason(model);
  const message = `${modelId} cannot be used now (${why}). GET /v1/models says which can.`;
  return fault(ErrorReason.MODEL_UNAVAILABLE, message);
}

/** Why a model is listed but cannot be used, in the values of the public `unavailable_reason`. */
function unavailableReason(model: Model): "pricing_unverified" | "disabled" | "no_route" {
  if (model.availability === Availability.DISABLED) return "disabled";
  return model.pricing ? "no_route" : "pricing_unverified";
}

type Add = (reason: ErrorReason, field: string, message: string) => void;

/** Of a field that the model does not take, only that is said. */
const takes = ({ parameters }: Model, field: string) => field in parameters;

function checkVideo(model: Model, input: VideoInput, all: () => readonly Model[], add: Add) {
  if (input.imageUrl !== undefined && !model.inputs.includes("image")) {
    const message = takesTextOnly(model, "image_url", all());
    add(ErrorReason.IMAGE_URL_NOT_SUPPORTED, "image_url", message);
  }
  if (input.imageUrl === undefined && model.requiredInputs.includes("image")) {
    const message = `${model.id} needs image_url: a public https URL of the first frame, or the url that POST /v1/files returns.`;
    add(ErrorReason.IMAGE_URL_REQUIRED, "image_url", message);
  }
  const { durations } = model;
  if (durations && !isOffered(input.duration ?? 0, durations)) {
    const message = whatModelTakes(model, "duration", input.duration, all);
    add(ErrorReason.UNSUPPORTED_DURATION, "duration", message);
  }
  if (!model.aspectRatios.includes(input.aspectRatio ?? "")) {
    const message = whatModelTakes(model, "aspect_ratio", input.aspectRatio, all);
    add(ErrorReason.UNSUPPORTED_ASPECT_RATIO, "aspect_ratio", message);
  }
  const needsFirst = input.lastImageUrl !== undefined && takes(model, "last_image_url");
  if (needsFirst && input.imageUrl === undefined) {
    const message =
      "last_image_url needs image_url, the first frame. Add it: a public https URL, or the url that POST /v1/files returns.";
    add(ErrorReason.IMAGE_URL_REQUIRED, "image_url", message);
  }
  const sources = Object.entries({
    image_url: input.imageUrl !== undefined,
    reference_images: input.referenceImages.length > 0 && takes(model, "reference_images"),
    video_url: input.videoUrl !== undefined && takes(model, "video_url"),
  }).flatMap(([field, isGiven]) => (isGiven ? [field] : []));
  for (const field of sources.slice(1)) {
    const message = `A video is made from one of ${sources.join(" and ")}. Leave the other out.`;
    add(ErrorReason.UNSUPPORTED_PARAMETER, field, message);
  }
}

/** Names the model of the kind that takes pictures and is called most like this one. */
function takesTextOnly({ id, kind }: Model, field: string, all: readonly Model[]): string {
  const other = usableLike(id, all, (one) => one.kind === kind && one.inputs.includes("image"));
  const choice =
    other === undefined ? "" : `, or choose a model that takes images, such as ${other}`;
  return `${id} takes text only. Leave ${field} out${choice}.`;
}

function checkImage(model: Model, input: ImageInput, all: () => readonly Model[], add: Add) {
  const references = input.imageUrls.length;
  if (references > 0 && !model.inputs.includes("image")) {
    const message = takesTextOnly(model, "image_urls", all());
    add(ErrorReason.IMAGE_URLS_NOT_SUPPORTED, "image_urls", message);
  } else if (references === 0 && model.requiredInputs.includes("image")) {
    const message = `${model.id} needs image_urls: public https URLs of reference images, or urls that POST /v1/files returns.`;
    add(ErrorReason.IMAGE_URL_REQUIRED, "image_urls", message);
  } else if (references > model.maxReferenceImages) {
    const message = `${model.id} takes at most ${model.maxReferenceImages} reference images.`;
    add(ErrorReason.TOO_MANY_REFERENCES, "image_urls", message);
  }
  if (!model.sizes.includes(input.size ?? "")) {
    add(ErrorReason.UNSUPPORTED_SIZE, "size", whatModelTakes(model, "size", input.size, all));
  }
  if (input.maskUrl !== undefined && takes(model, "mask_url") && references === 0) {
    const message =
      "mask_url needs image_urls, of which it covers the first. Add them: public https URLs, or urls that POST /v1/files returns.";
    add(ErrorReason.IMAGE_URL_REQUIRED, "image_urls", message);
  }
  if (input.background === "transparent" && input.outputFormat === "jpeg") {
    const message = "A JPEG has no transparency. Ask for another output_format.";
    add(ErrorReason.UNSUPPORTED_PARAMETER, "background", message);
  }
}

/** The fields that the request asks for and the model does not declare, or not with these values. */
function parameterFaults(model: Model, input: Input, all: () => readonly Model[]): PlanFault[] {
  return notTaken(model.parameters, input).map(({ field, value, allowed }) => ({
    reason: ErrorReason.UNSUPPORTED_PARAMETER,
    field,
    message:
      allowed === undefined
        ? doesNotTake(model, field, all())
        : takesAs(model.id, field, allowed, value),
  }));
}

/** The price of a request: every started billing unit of a video is charged whole. */
export function priceOf(pricing: Pricing, input: Input): bigint {
  const perReference = pricing.tokensPerReferenceImage ?? 0n;
  const surcharge = pricing.surcharges
    .filter(({ parameter, value }) => asksFor(input, parameter, value))
    .reduce((sum, { tokens }) => sum + tokens, 0n);
  if (isVideo(input)) {
    const units = BigInt(Math.ceil((input.duration ?? 0) / pricing.unitQuantity));
    const references = BigInt(input.referenceImages.length) * perReference;
    return units * (pricing.tokens + surcharge) + references;
  }
  const tier = pricing.tiers.find(({ sizes }) => sizes.includes(input.size ?? ""));
  const references = BigInt(input.imageUrls.length) * perReference;
  const perImage = (tier?.tokens ?? pricing.tokens) + surcharge + references;
  return BigInt(outputsAsked(input)) * perImage;
}

/** How many outputs a request asks for. */
export function outputsAsked(input: Input): number {
  return isVideo(input) ? 1 : (input.n ?? 1);
}

/** What is charged of `tokens`, the price of all outputs that a request asks for, when `made` of them are made. */
export function chargeFor(tokens: bigint, input: Input, made: number): bigint {
  return (tokens * BigInt(made)) / BigInt(outputsAsked(input));
}

/** Whether `seconds` is one of the offered durations: `min`, `min + step` and so on, up to `max`. */
export function isOffered(
  seconds: number,
  { min, max, step }: Pick<Durations, "min" | "max" | "step">,
): boolean {
  return seconds >= min && seconds <= max && step >= 1 && (seconds - min) % step === 0;
}
