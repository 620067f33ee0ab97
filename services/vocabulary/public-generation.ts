/** The public form of a generation, in the gateway's responses and in webhook bodies. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { components } from "#gen/openapi/media.ts";
import type {
  Generation,
  GenerationError,
  ImageInput,
  Output,
  VideoInput,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { invalidField } from "#runtime/rpc/errors.ts";
import { generationStatusName, modeName } from "./names.ts";
import { publicTime } from "./public-values.ts";

type Schemas = components["schemas"];
export type PublicVideo = Schemas["VideoGeneration"];
export type PublicImage = Schemas["ImageGeneration"];

/** The codes of a generation's `error` (docs/contract.md). */
export const ERROR_CODES: Record<Schemas["GenerationError"]["code"], true> = {
  content_rejected: true,
  invalid_input: true,
  upstream_failed: true,
  upstream_timeout: true,
  expired: true,
  internal: true,
};

/** An output's URL is `assetBaseUrl`, a slash and the storage key. Refuses one that lacks what every stored one has. */
export function publicGeneration(
  generation: Generation,
  assetBaseUrl: string,
): PublicVideo | PublicImage {
  const { input } = generation;
  switch (input.case) {
    case "video":
      return publicVideo(generation, input.value, assetBaseUrl);
    case "image":
      return publicImage(generation, input.value, assetBaseUrl);
    case undefined:
      throw lacking("an input");
  }
}

function publicVideo(from: Generation, input: VideoInput, assetBaseUrl: string): PublicVideo {
  const references = input.referenceImages.map(({ url, role }) => ({ url, role }));
  const output = from.output.map((file) => ({
    ...publicFile(file, assetBaseUrl),
    duration: stored(file.duration, "a duration"),
  }));
  return publicForm(from, "video.generation", output, {
    ...commonInput(from, input),
    ...present("image_url", input.imageUrl),
    duration: stored(input.duration, "a duration"),
    aspect_ratio: stored(input.aspectRatio, "an aspect ratio"),
    ...present("resolution", input.resolution),
    ...present("audio", input.audio),
    ...present("last_image_url", input.lastImageUrl),
    ...(references.length === 0 ? {} : { reference_images: references }),
    ...present("video_url", input.videoUrl),
  });
}

function publicImage(from: Generation, input: ImageInput, assetBaseUrl: string): PublicImage {
  const output = from.output.map((file) => publicFile(file, assetBaseUrl));
  return publicForm(from, "image.generation", output, {
    ...commonInput(from, input),
    image_urls: [...input.imageUrls],
    size: stored(input.size, "a size"),
    prompt_extend: stored(input.promptExtend, "prompt_extend"),
    ...present("n", input.n),
    ...present("mask_url", input.maskUrl),
    ...present("background", input.background),
    ...present("output_format", input.outputFormat),
  });
}

/** In the order that documents and webhooks show. */
function publicForm<Kind extends string, File, Input>(
  from: Generation,
  object: Kind,
  output: File[],
  input: Input,
) {
  const time = (at: Timestamp | undefined) => at && publicTime(at);
  return {
    id: from.id,
    object,
    status: stored(generationStatusName(from.status), "a status"),
    model: from.model,
    mode: modeName(from.mode),
    credits: Number(from.credits),
    progress: from.progress,
    output,
    ...present("error", from.error && publicError(from.error)),
    input,
    created_at: stored(time(from.createdAt), "a time of creation"),
    ...present("started_at", time(from.startedAt)),
    ...present("completed_at", time(from.completedAt)),
    ...present("estimated_completion_at", time(from.estimatedCompletionAt)),
  };
}

function commonInput({ model }: Generation, input: VideoInput | ImageInput) {
  return {
    model,
    prompt: input.prompt,
    ...present("negative_prompt", input.negativePrompt),
    ...present("seed", input.seed),
    ...present("webhook_url", input.webhookUrl),
    ...present("end_user", input.endUser),
    metadata: { ...input.metadata },
  };
}

function publicFile(file: Output, assetBaseUrl: string) {
  return {
    url: `${assetBaseUrl}/${file.key}`,
    ...present("thumbnail_url", file.thumbnailKey && `${assetBaseUrl}/${file.thumbnailKey}`),
    content_type: file.contentType,
    width: file.width,
    height: file.height,
    bytes: Number(file.bytes),
    provenance: publicProvenance(file),
  };
}

/** An output that says nothing of a mark must not be taken for a marked one. */
function publicProvenance({ provenance }: Output): Schemas["Provenance"] {
  return provenance === "c2pa" || provenance === "iptc" ? provenance : "none";
}

function publicError({ code, message }: GenerationError): Schemas["GenerationError"] {
  return { code: isErrorCode(code) ? code : "internal", message };
}

export function isErrorCode(code: string): code is Schemas["GenerationError"]["code"] {
  return Object.hasOwn(ERROR_CODES, code);
}

const NONE = {};

/** `{ [name]: value }`, or an empty object when the value is absent. */
export function present<N extends string, T>(
  name: N,
  value: T | undefined,
): { [name in N]: T } | Record<never, never> {
  return value === undefined ? NONE : ({ [name]: value } as { [name in N]: T });
}

function stored<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw lacking(what);
  return value;
}

function lacking(what: string): Error {
  return invalidField("generation", `the generation lacks ${what}`);
}
