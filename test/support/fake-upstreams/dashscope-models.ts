/** What DashScope's models take, by Model Studio's API references of its video and image models (2026). */
import {
  either,
  fieldFault,
  flag,
  listOf,
  matching,
  modelIn,
  object,
  oneOf,
  optional,
  picture,
  pixels,
  required,
  text,
  whole,
  type Check,
  type FieldFault,
  type Fields,
} from "./fields.ts";

type VideoModel = { input: Fields; parameters: Fields; frame?: (body: VideoBody) => boolean };
type VideoBody = {
  input: { media?: { type: string }[] };
  parameters?: Record<string, unknown>;
};

const seed = { seed: optional(whole(0, 2_147_483_647)) };
const marks = { prompt_extend: optional(flag), watermark: optional(flag), ...seed };
const RATIOS = ["16:9", "9:16", "1:1", "4:3", "3:4"];
const prompts = (max: number, isRequired = true): Fields => ({
  prompt: isRequired ? required(text(max)) : optional(text(max)),
});
const negative = { negative_prompt: optional(text(500)) };
const mediaOf = (...types: string[]): Check =>
  listOf(object({ type: required(oneOf(...types)), url: required(picture) }), 1, 5);
const has = ({ input }: VideoBody, type: RegExp) =>
  (input.media ?? []).some((one) => type.test(one.type));

const OLD_FRAME: VideoModel = {
  input: {
    ...prompts(1_500, false),
    ...negative,
    img_url: required(picture),
    audio_url: optional(picture),
  },
  parameters: {
    ...marks,
    resolution: optional(oneOf("480P", "720P", "1080P")),
    duration: optional(whole(2, 15)),
    shot_type: optional(oneOf("single", "multi")),
    audio: optional(flag),
  },
};
const NEW_PARAMETERS: Fields = {
  ...marks,
  resolution: optional(oneOf("720P", "1080P")),
  duration: optional(whole(2, 15)),
};
const WAN3: VideoModel = {
  input: {
    ...prompts(20_000, false),
    media: optional(
      mediaOf(
        "first_frame",
        "last_frame",
        "first_clip",
        "driving_audio",
        "file",
        "link",
        "reference_image",
        "reference_video",
        "reference_audio",
      ),
    ),
  },
  parameters: {
    ...marks,
    resolution: optional(oneOf("480P", "720P", "1080P")),
    ratio: optional(oneOf(...RATIOS, "adaptive")),
    duration: optional(whole(2, 30)),
    audio: optional(flag),
  },
  frame: (body) => !(has(body, /_frame$/) && has(body, /^reference_/)),
};

const VIDEOS: Record<string, VideoModel> = {
  "wan2.6-t2v": {
    input: { ...prompts(1_500), ...negative, audio_url: optional(picture) },
    parameters: {
      ...marks,
      size: optional(pixels("*", 832 * 480, 1920 * 1080)),
      duration: optional(whole(2, 15)),
      shot_type: optional(oneOf("single", "multi")),
    },
  },
  "wan2.6-i2v": OLD_FRAME,
  "wan2.6-i2v-flash": OLD_FRAME,
  "wan2.5-i2v-preview": {
    ...OLD_FRAME,
    parameters: { ...OLD_FRAME.parameters, duration: optional(oneOf(5, 10)) },
  },
  "wan2.7-t2v": {
    input: { ...prompts(5_000), ...negative },
    parameters: { ...NEW_PARAMETERS, ratio: optional(oneOf(...RATIOS)) },
  },
  "wan2.7-i2v": {
    input: {
      ...prompts(5_000, false),
      ...negative,
      media: required(mediaOf("first_frame", "last_frame", "first_clip", "driving_audio")),
    },
    // The first frame decides the ratio.
    parameters: NEW_PARAMETERS,
  },
  "wan2.7-r2v": {
    input: {
      ...prompts(5_000),
      ...negative,
      media: required(mediaOf("first_frame", "reference_image", "reference_video")),
    },
    parameters: {
      ...NEW_PARAMETERS,
      duration: optional(whole(2, 10)),
      ratio: optional(oneOf(...RATIOS)),
    },
    frame: (body) => !has(body, /^first_frame$/) || body.parameters?.["ratio"] === undefined,
  },
  "wan3.0-video": WAN3,
  "wan3.0-video-prime": WAN3,
};

/** The fault of a task's body; "model" where no model has that name. */
export function dashscopeVideoFault(body: unknown): FieldFault | undefined {
  const model = modelIn(VIDEOS, body);
  if (!model) return { why: "unknown", field: "model" };
  const sent = body as VideoBody;
  const { input, media } = { input: sent.input, media: sent.input?.media };
  const fault =
    bodyFault(body) ??
    fieldFault(input, model.input) ??
    fieldFault(sent.parameters ?? {}, model.parameters);
  if (fault) return fault;
  if (!("prompt" in input) && !media && !("img_url" in input)) {
    return { why: "missing", field: "prompt" };
  }
  return (model.frame?.(sent) ?? true) ? undefined : { why: "wrong", field: "media" };
}

type ImageModel = { pictures: number; parameters: Fields; prompt: number };

const imageMarks = { ...marks, ...negative };
const WAN_IMAGE: ImageModel = {
  pictures: 4,
  prompt: 2_000,
  parameters: {
    ...imageMarks,
    n: optional(whole(1, 4)),
    size: optional(pixels("*", 768 ** 2, 1280 ** 2)),
  },
};
const WAN27_IMAGE: ImageModel = {
  pictures: 9,
  prompt: 5_000,
  parameters: {
    ...imageMarks,
    n: optional(whole(1, 4)),
    size: optional(either(oneOf("1K", "2K"), pixels("*"))),
    thinking_mode: optional(flag),
  },
};

const IMAGES: Record<string, ImageModel> = {
  "qwen-image-3.0": {
    pictures: 3,
    prompt: 5_000,
    parameters: {
      ...imageMarks,
      n: optional(whole(1, 6)),
      size: optional(pixels("*")),
      prompt_extend_model: optional(oneOf("direct", "agent")),
      enable_thinking: optional(flag),
    },
  },
  "wan2.6-image": WAN_IMAGE,
  "wan2.7-image": WAN27_IMAGE,
  "wan2.7-image-pro": {
    ...WAN27_IMAGE,
    parameters: {
      ...WAN27_IMAGE.parameters,
      size: optional(either(oneOf("1K", "2K", "4K"), pixels("*"))),
    },
  },
};

/** The fault of an image's body: one message of the user with one text. */
export function dashscopeImageFault(body: unknown): FieldFault | undefined {
  const model = modelIn(IMAGES, body);
  if (!model) return { why: "unknown", field: "model" };
  const { input, parameters = {} } = body as { input?: unknown; parameters?: unknown };
  const part = either(
    object({ text: required(text(model.prompt)) }),
    object({ image: required(picture) }),
  );
  const isAsked: Check = (content) =>
    listOf(part, 1, model.pictures + 1)(content) &&
    (content as object[]).filter((one) => "text" in one).length === 1;
  const message = object({ role: required(matching(/^user$/)), content: required(isAsked) });
  return (
    bodyFault(body) ??
    fieldFault(input, { messages: required(listOf(message, 1, 1)) }) ??
    fieldFault(parameters, model.parameters)
  );
}

function bodyFault(body: unknown): FieldFault | undefined {
  const isAny: Check = () => true;
  return fieldFault(body, {
    model: required(text()),
    input: required(isAny),
    parameters: optional(isAny),
  });
}
