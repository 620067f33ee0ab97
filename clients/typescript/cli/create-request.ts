/** Builds the create request from the options; the service checks the values. */
import { access, constants, stat } from "node:fs/promises";
import type { ImageRequest, Picture, VideoRequest } from "../index.ts";
import { UsageError } from "./cli-errors.ts";
import { resolveFromCaller, type Environment } from "./environment.ts";
import { STDIN } from "./standard-streams.ts";

/** A reference image of a video, as `subject=cat.png`. */
export type Reference = { role: string; picture: string };

export type CreateOptions = {
  model?: string;
  duration?: number;
  aspectRatio?: string;
  resolution?: string;
  audio?: boolean;
  lastImage?: string;
  reference?: Reference[];
  video?: string;
  negativePrompt?: string;
  image?: string[];
  size?: string;
  seed?: number;
  n?: number;
  mask?: string;
  background?: string;
  outputFormat?: string;
  promptExtend?: boolean;
  webhookUrl?: string;
  endUser?: string;
  metadata?: Record<string, string>;
  out?: string;
  idempotencyKey?: string;
  wait?: boolean;
};

export type Kind = "video" | "image";
export type Request = { kind: "video"; body: VideoRequest } | { kind: "image"; body: ImageRequest };

/** `piped` is the picture that `-` stands for. Throws UsageError for a second picture of a video. */
export function requestFor(
  kind: Kind,
  model: string,
  prompt: string,
  options: CreateOptions,
  env: Environment,
  piped?: Uint8Array,
): Request {
  const pictureFor = (text: string) => (text === STDIN && piped ? piped : pictureOf(text, env));
  const picture = (text: string | undefined) => (text === undefined ? undefined : pictureFor(text));
  const pictures = options.image?.map(pictureFor);
  const common = {
    model,
    prompt,
    ...given("negative_prompt", options.negativePrompt),
    ...given("seed", options.seed),
    ...given("webhook_url", options.webhookUrl),
    ...given("end_user", options.endUser),
    ...given("metadata", options.metadata),
  };
  if (kind === "image") {
    const body = {
      ...common,
      ...given("size", options.size),
      ...given("n", options.n),
      ...given("image_urls", pictures),
      ...given("mask_url", picture(options.mask)),
      ...given("background", options.background),
      ...given("output_format", options.outputFormat),
      ...(options.promptExtend === false ? { prompt_extend: false } : {}),
    };
    return { kind, body: body as ImageRequest };
  }
  if (pictures && pictures.length > 1) {
    throw new UsageError("A video takes one --image at most; --reference may be repeated.");
  }
  const references = options.reference?.map(({ role, picture: text }) => ({
    url: pictureFor(text),
    role,
  }));
  const body = {
    ...common,
    ...given("duration", options.duration),
    ...given("aspect_ratio", options.aspectRatio),
    ...given("resolution", options.resolution),
    ...given("audio", options.audio),
    ...given("image_url", pictures?.[0]),
    ...given("last_image_url", picture(options.lastImage)),
    ...given("reference_images", references),
    ...given("video_url", options.video),
  };
  return { kind, body: body as VideoRequest };
}

/** Throws UsageError for a picture on disk that cannot be read; called before Tokens are spent. */
export async function checkPictures(options: CreateOptions, env: Environment): Promise<void> {
  for (const text of picturesOf(options)) {
    const picture = pictureOf(text, env);
    if (text !== STDIN && typeof picture !== "string") await checkReadable(picture.path);
  }
}

/** The pictures of all options, as they were written. */
export function picturesOf({
  image = [],
  reference = [],
  lastImage,
  mask,
}: CreateOptions): string[] {
  const named = [...image, ...reference.map(({ picture }) => picture), lastImage, mask];
  return named.filter((one) => one !== undefined);
}

/** Throws UsageError for a file that cannot be read, or is empty. */
export async function checkReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new UsageError(`Cannot read the file ${path}: does it exist?`, { cause });
  });
  const found = await stat(path);
  if (found.isFile() && found.size === 0) throw new UsageError(`The file ${path} is empty.`);
}

function pictureOf(text: string, env: Environment): string | Extract<Picture, { path: string }> {
  return /^https?:\/\//i.test(text) ? text : { path: resolveFromCaller(text, env) };
}

function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Field in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Field in Name]?: Value };
}
