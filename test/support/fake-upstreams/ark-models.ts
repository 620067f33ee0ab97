/** What Ark's models take, by the vendor's pages "Create a video generation task" and "Image generation" (2026). */
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
  webUrl,
  whole,
  type Check,
  type FieldFault,
  type Fields,
} from "./fields.ts";

type VideoModel = {
  resolutions: string[];
  durations: Check;
  /** Fields that not every model takes. */
  extras?: Fields;
  /** A first frame decides the ratio, and a fixed one beside it is refused. */
  isRatioOfFrame?: true;
};

const RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"];
const audio = { generate_audio: optional(flag) };
const camera = { camera_fixed: optional(flag), frames: optional(whole(29, 289)) };
const flex = { service_tier: optional(oneOf("default", "flex")) };
const plain = { service_tier: optional(oneOf("default")) };

const VIDEOS: Record<string, VideoModel> = {
  "dreamina-seedance-2-0-260128": {
    resolutions: ["480p", "720p", "1080p", "4k"],
    durations: either(whole(4, 15), oneOf(-1)),
    extras: { ...audio, ...plain },
  },
  "dreamina-seedance-2-0-fast-260128": {
    resolutions: ["480p", "720p"],
    durations: either(whole(4, 15), oneOf(-1)),
    extras: { ...audio, ...plain },
  },
  "dreamina-seedance-2-0-mini-260615": {
    resolutions: ["480p", "720p"],
    durations: either(whole(4, 15), oneOf(-1)),
    extras: { ...audio, ...plain },
  },
  "dreamina-seedance-2-5-260628": {
    resolutions: ["480p", "720p", "1080p"],
    durations: whole(4, 30),
    extras: { ...audio, ...plain },
    isRatioOfFrame: true,
  },
  "seedance-1-5-pro-251215": {
    resolutions: ["480p", "720p", "1080p"],
    durations: whole(2, 12),
    extras: { ...audio, ...flex, camera_fixed: optional(flag), draft: optional(flag) },
  },
  "seedance-1-0-pro-250528": {
    resolutions: ["480p", "720p", "1080p"],
    durations: whole(2, 12),
    extras: { ...camera, ...flex },
  },
};

const media = (role: Check) => ({
  type: required(text()),
  image_url: optional(object({ url: required(either(picture, matching(/^asset:\/\//))) })),
  video_url: optional(object({ url: required(webUrl) })),
  audio_url: optional(object({ url: required(webUrl) })),
  text: optional(text()),
  role: optional(role),
});
const ROLES = [
  "first_frame",
  "last_frame",
  "reference_image",
  "reference_video",
  "reference_audio",
];
const content = listOf(object(media(oneOf(...ROLES))), 1);

/** The fault of a task's body; "model" where no model has that name. */
export function arkVideoFault(body: unknown): FieldFault | undefined {
  const model = modelIn(VIDEOS, body);
  if (!model) return { why: "unknown", field: "model" };
  const fault = fieldFault(body, {
    model: required(text()),
    content: required(content),
    resolution: optional(oneOf(...model.resolutions)),
    ratio: optional(oneOf(...RATIOS)),
    duration: optional(model.durations),
    seed: optional(whole(-1, 2 ** 32 - 1)),
    watermark: optional(flag),
    return_last_frame: optional(flag),
    execution_expires_after: optional(whole(3_600, 259_200)),
    callback_url: optional(webUrl),
    safety_identifier: optional(text(64)),
    priority: optional(whole(0, 9)),
    ...model.extras,
  });
  return fault ?? contentFault(body as ArkTask, model);
}

export type ArkTask = {
  content: { type: string; text?: string; role?: string }[];
  ratio?: string;
};

function contentFault({ content: parts, ratio }: ArkTask, model: VideoModel) {
  const wrong = (field: string): FieldFault => ({ why: "wrong", field });
  const pictures = parts.filter(({ type }) => type === "image_url");
  const roles = pictures.map(({ role }) => role);
  const has = (kind: RegExp) => roles.some((role) => kind.test(role ?? ""));
  if (!parts.some((part) => part.text) && pictures.length === 0) {
    return { why: "missing", field: "content" } as const;
  }
  if (has(/_frame$/) && has(/^reference_/)) return wrong("content.role");
  if (pictures.length > 1 && roles.includes(undefined)) return wrong("content.role");
  if (
    parts.every(({ type }) => type === "audio_url" || type === "text") &&
    !parts.some((part) => part.text)
  ) {
    return wrong("content");
  }
  const isFramed = has(/_frame$/) || (pictures.length === 1 && roles[0] === undefined);
  const isFixed = ratio !== undefined && ratio !== "adaptive";
  return model.isRatioOfFrame && isFramed && isFixed ? wrong("ratio") : undefined;
}

type ImageModel = { minArea: number; maxPictures: number; extras?: Fields };

const group = {
  sequential_image_generation: optional(oneOf("auto", "disabled")),
  sequential_image_generation_options: optional(object({ max_images: required(whole(1, 15)) })),
  stream: optional(flag),
};
const format = { output_format: optional(oneOf("png", "jpeg")) };

const IMAGES: Record<string, ImageModel> = {
  "seedream-4-0-250828": { minArea: 921_600, maxPictures: 14, extras: group },
  "seedream-4-5-251128": { minArea: 3_686_400, maxPictures: 14, extras: group },
  "seedream-5-0-260128": { minArea: 3_686_400, maxPictures: 14, extras: { ...group, ...format } },
  // It refuses the fields of groups.
  "dola-seedream-5-0-pro-260628": { minArea: 921_600, maxPictures: 10, extras: format },
};

/** The fault of an image's body. */
export function arkImageFault(body: unknown): FieldFault | undefined {
  const model = modelIn(IMAGES, body);
  if (!model) return { why: "unknown", field: "model" };
  return fieldFault(body, {
    model: required(text()),
    prompt: required(text()),
    image: optional(either(picture, listOf(picture, 1, model.maxPictures))),
    size: optional(either(oneOf("1K", "1.5K", "2K", "3K", "4K"), pixels("x", model.minArea))),
    response_format: optional(oneOf("url", "b64_json")),
    watermark: optional(flag),
    seed: optional(whole(-1, 2_147_483_647)),
    optimize_prompt_options: optional(object({ mode: required(oneOf("standard", "fast")) })),
    ...model.extras,
  });
}
