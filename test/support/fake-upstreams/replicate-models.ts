/** What some of Replicate's models take, by their schemas of inputs; a version stands for a model that is not official. */
import {
  either,
  fieldFault,
  flag,
  listOf,
  number,
  oneOf,
  optional,
  picture,
  required,
  text,
  whole,
  type FieldFault,
  type Fields,
} from "./fields.ts";

const seed = optional(whole(0, 2 ** 31 - 1));
const RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];

const MODELS: Record<string, Fields> = {
  "bytedance/seedance-2.0": {
    prompt: required(text()),
    image: optional(picture),
    last_frame_image: optional(picture),
    reference_images: optional(listOf(picture, 1, 9)),
    duration: optional(either(whole(4, 15), oneOf(-1))),
    resolution: optional(oneOf("480p", "720p", "1080p")),
    aspect_ratio: optional(oneOf(...RATIOS, "adaptive")),
    generate_audio: optional(flag),
    seed,
  },
  // A model of nobody, which takes what the adapter sends by default and a few inputs of its own.
  "owner/name": {
    prompt: required(text()),
    negative_prompt: optional(text()),
    aspect_ratio: optional(oneOf(...RATIOS)),
    image: optional(picture),
    first_frame: optional(picture),
    image_input: optional(listOf(picture)),
    duration: optional(whole(1, 60)),
    fps: optional(number(1, 60)),
    seed,
  },
};

/** A version is known by its hash; this one is of the model of nobody. */
const REPLICATE_VERSION = "5c7d5dc6";

export function replicateModel(name: string | undefined, version: string | undefined) {
  return version === REPLICATE_VERSION ? MODELS["owner/name"] : MODELS[name ?? ""];
}

/** The fault of a create's body, with or without a version. */
export function replicateFault(body: unknown, inputs: Fields): FieldFault | undefined {
  const isAny = () => true;
  const events = ["start", "output", "logs", "completed"];
  const fault = fieldFault(body, {
    version: optional(text()),
    input: required(isAny),
    webhook: optional(text()),
    webhook_events_filter: optional(listOf(oneOf(...events), 1)),
    stream: optional(flag),
  });
  return fault ?? fieldFault((body as { input: unknown }).input, inputs);
}
