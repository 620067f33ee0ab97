/** Builds the create request from the options; the service checks the values. */
import { access, constants } from "node:fs/promises";
import type { ImageRequest, Picture, VideoRequest } from "../index.ts";
import { UsageError } from "./cli-errors.ts";
import { resolveFromCaller, type Environment } from "./environment.ts";

export type CreateOptions = {
  model?: string;
  duration?: number;
  aspectRatio?: string;
  negativePrompt?: string;
  image?: string[];
  size?: string;
  seed?: number;
  webhookUrl?: string;
  metadata?: Record<string, string>;
  out?: string;
  idempotencyKey?: string;
  wait?: boolean;
};

export type Kind = "video" | "image";
export type Request = { kind: "video"; body: VideoRequest } | { kind: "image"; body: ImageRequest };

/** Throws UsageError for a second picture of a video. */
export function requestFor(
  kind: Kind,
  model: string,
  prompt: string,
  options: CreateOptions,
  env: Environment,
): Request {
  const pictures = options.image?.map((text) => pictureOf(text, env));
  const common = {
    model,
    prompt,
    ...given("negative_prompt", options.negativePrompt),
    ...given("metadata", options.metadata),
  };
  if (kind === "image") {
    const body: ImageRequest = {
      ...common,
      ...given("size", options.size),
      ...given("seed", options.seed),
      ...given("image_urls", pictures),
    };
    return { kind, body };
  }
  if (pictures && pictures.length > 1) throw new UsageError("A video takes one --image at most.");
  const body: VideoRequest = {
    ...common,
    ...given("duration", options.duration),
    ...given("aspect_ratio", options.aspectRatio),
    ...given("webhook_url", options.webhookUrl),
    ...given("image_url", pictures?.[0]),
  };
  return { kind, body };
}

/** Throws UsageError for a picture on disk that cannot be read; called before Tokens are spent. */
export async function checkPictures(
  { image = [] }: CreateOptions,
  env: Environment,
): Promise<void> {
  for (const text of image) {
    const picture = pictureOf(text, env);
    if (typeof picture !== "string") await checkReadable(picture.path);
  }
}

/** Throws UsageError for a file that cannot be read. */
export async function checkReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new UsageError(`Cannot read the file ${path}: does it exist?`, { cause });
  });
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
