/** What an upstream can make, where that is less than its model of the catalog offers. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { KindName } from "#vocabulary/names.ts";
import { notTaken, type TakenFields } from "./parameters.ts";
import { isVideo, type Input, type PlanFault } from "./plan.ts";

/** An absent list or number: no limit beyond the catalog's. */
export type Capabilities = {
  durations?: readonly number[];
  aspect_ratios?: readonly string[];
  sizes?: readonly string[];
  /** Pictures that `image_url` or `image_urls` may name. */
  max_pictures?: number;
  /** Of the fields that the provider carries, those that the model takes. */
  parameters?: TakenFields;
};

/** What decides about the tasks that an upstream can serve. */
export type Serving = {
  capabilities?: Capabilities;
  parameters: Readonly<Record<string, unknown>>;
  provider: {
    /** The fields that the provider carries to a model with these parameters of the upstreams file; absent: none. */
    carries?: (kind: KindName, parameters: Readonly<Record<string, unknown>>) => TakenFields;
  };
};

/** The first field of the request that the upstream cannot serve; undefined if it can serve all of it. */
export function lackOf(upstream: Serving, input: Input): PlanFault | undefined {
  const { capabilities = {} } = upstream;
  const fault = isVideo(input)
    ? (pictureLack(capabilities, input.imageUrl === undefined ? 0 : 1, "image_url") ??
      lack(capabilities.durations, input.duration, "duration", "seconds") ??
      lack(capabilities.aspect_ratios, input.aspectRatio, "aspect_ratio"))
    : (pictureLack(capabilities, input.imageUrls.length, "image_urls") ??
      lack(capabilities.sizes, input.size, "size"));
  return fault ?? parameterLack(upstream, input);
}

/** A field that none of the upstreams can serve; undefined if one can serve the whole request. */
export function commonLackOf(upstreams: readonly Serving[], input: Input): PlanFault | undefined {
  const lacks = upstreams.map((upstream) => lackOf(upstream, input));
  return lacks.includes(undefined) ? undefined : lacks[0];
}

/** A field that the provider would have to drop, or that this model of the vendor does not take. */
function parameterLack(
  { capabilities = {}, provider, parameters }: Serving,
  input: Input,
): PlanFault | undefined {
  const kind = isVideo(input) ? "video" : "image";
  const carried = provider.carries?.(kind, parameters) ?? {};
  const { parameters: offered = carried } = capabilities;
  const [first] = [...notTaken(carried, input), ...notTaken(offered, input)];
  if (!first) return undefined;
  const { field, allowed } = first;
  const message = allowed
    ? `now ${field} can only be ${allowed.join(", ")}.`
    : `now ${field} cannot be taken. Leave it out.`;
  return { reason: ErrorReason.UNSUPPORTED_PARAMETER, field, message };
}

const REASONS = {
  duration: ErrorReason.UNSUPPORTED_DURATION,
  aspect_ratio: ErrorReason.UNSUPPORTED_ASPECT_RATIO,
  size: ErrorReason.UNSUPPORTED_SIZE,
};

function lack<Value>(
  offered: readonly Value[] | undefined,
  asked: Value | undefined,
  field: keyof typeof REASONS,
  unit = "",
): PlanFault | undefined {
  if (offered === undefined || asked === undefined || offered.includes(asked)) return undefined;
  const message = `now only ${offered.join(", ")} ${unit}`.trim() + " can be made.";
  return { reason: REASONS[field], field, message };
}

function pictureLack(
  { max_pictures: max }: Capabilities,
  count: number,
  field: "image_url" | "image_urls",
): PlanFault | undefined {
  if (max === undefined || count <= max) return undefined;
  if (max > 0) {
    const message = `now at most ${max} reference images can be taken.`;
    return { reason: ErrorReason.TOO_MANY_REFERENCES, field, message };
  }
  const { IMAGE_URL_NOT_SUPPORTED, IMAGE_URLS_NOT_SUPPORTED } = ErrorReason;
  const reason = field === "image_url" ? IMAGE_URL_NOT_SUPPORTED : IMAGE_URLS_NOT_SUPPORTED;
  return { reason, field, message: `now only text can be taken. Leave ${field} out.` };
}
