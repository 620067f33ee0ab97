/** What some of fal's models take, by the types of inputs in fal's own SDK, whose names of fields the tables repeat. */
import type { EndpointTypeMap } from "@fal-ai/client/endpoints";
import {
  either,
  fieldFault,
  flag,
  listOf,
  number,
  object,
  oneOf,
  optional,
  picture,
  required,
  text,
  whole,
  type Check,
  type Field,
  type FieldFault,
  type Fields,
} from "./fields.ts";

type Inputs = EndpointTypeMap;
/** Each field that the SDK knows for the endpoint, and no other. */
type FieldsOf<Id extends keyof Inputs> = Record<keyof Inputs[Id]["input"] & string, Field>;

const anything: Check = () => true;
const seconds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`);
const seed = optional(whole(0, 2 ** 32 - 1));

const KLING = {
  cfg_scale: optional(number(0, 1)),
  duration: optional(oneOf(...seconds(3, 15))),
  generate_audio: optional(flag),
  multi_prompt: optional(listOf(anything)),
  negative_prompt: optional(text(2_500)),
  prompt: optional(text(2_500)),
  shot_type: optional(oneOf("customize", "intelligent")),
};
const klingText = {
  ...KLING,
  aspect_ratio: optional(oneOf("16:9", "9:16", "1:1")),
} satisfies FieldsOf<"fal-ai/kling-video/v3/standard/text-to-video">;
const klingFrame = {
  ...KLING,
  elements: optional(listOf(anything)),
  end_image_url: optional(picture),
  start_image_url: required(picture),
} satisfies FieldsOf<"fal-ai/kling-video/v3/standard/image-to-video">;

const VEO = {
  auto_fix: optional(flag),
  duration: optional(oneOf("4s", "6s", "8s")),
  generate_audio: optional(flag),
  negative_prompt: optional(text()),
  prompt: required(text(20_000)),
  resolution: optional(oneOf("720p", "1080p")),
  safety_tolerance: optional(oneOf("1", "2", "3", "4", "5", "6")),
  seed,
};
const veoText = {
  ...VEO,
  aspect_ratio: optional(oneOf("16:9", "9:16")),
} satisfies FieldsOf<"fal-ai/veo3.1">;
const veoFrame = {
  ...VEO,
  aspect_ratio: optional(oneOf("auto", "16:9", "9:16")),
  image_url: required(picture),
} satisfies FieldsOf<"fal-ai/veo3.1/image-to-video">;

const wanFrame = {
  audio_url: optional(picture),
  // Its types say a text; the model takes a number.
  duration: optional(whole(2, 15)),
  enable_prompt_expansion: optional(flag),
  enable_safety_checker: optional(flag),
  end_image_url: optional(picture),
  image_url: optional(picture),
  negative_prompt: optional(text(500)),
  prompt: optional(text(5_000)),
  resolution: optional(oneOf("720p", "1080p")),
  seed,
  video_url: optional(picture),
} satisfies FieldsOf<"fal-ai/wan/v2.7/image-to-video">;

/** A model of no vendor, which takes what the adapter sends by default and a few inputs of its own. */
const SOME_MODEL: Fields = {
  prompt: required(text()),
  negative_prompt: optional(text()),
  image_url: optional(picture),
  image_urls: optional(listOf(picture, 1)),
  duration: optional(either(whole(1, 60), text())),
  aspect_ratio: optional(text()),
  image_size: optional(
    object({ width: required(whole(1, 8192)), height: required(whole(1, 8192)) }),
  ),
  resolution: optional(text()),
  seed,
};

const MODELS: Record<string, Fields> = {
  "fal-ai/kling-video/v3/standard/text-to-video": klingText,
  "fal-ai/kling-video/v3/pro/text-to-video": klingText,
  "fal-ai/kling-video/v3/standard/image-to-video": klingFrame,
  "fal-ai/kling-video/v3/pro/image-to-video": klingFrame,
  "fal-ai/veo3.1": veoText,
  "fal-ai/veo3.1/fast": veoText,
  "fal-ai/veo3.1/image-to-video": veoFrame,
  "fal-ai/veo3.1/fast/image-to-video": veoFrame,
  "fal-ai/wan/v2.7/image-to-video": wanFrame,
  "fal-ai/some-model": SOME_MODEL,
};

/** The fault of a model's input; "model" where no model has that name. */
export function falInputFault(model: string, input: unknown): FieldFault | undefined {
  const fields = MODELS[model];
  if (!fields) return { why: "unknown", field: "model" };
  const fault = fieldFault(input, fields);
  if (fault) return fault;
  const { prompt, multi_prompt } = input as Record<string, unknown>;
  const isAsked = prompt !== undefined || multi_prompt !== undefined;
  return isAsked ? undefined : { why: "missing", field: "prompt" };
}
