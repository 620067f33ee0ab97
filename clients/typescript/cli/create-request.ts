/** Builds the create request from the options; the service checks the values. */
import { access, constants, stat } from "node:fs/promises";
import type { ImageRequest, Picture, VideoRequest } from "../index.ts";
import { UsageError } from "./cli-errors.ts";
import { resolveFromCaller, type Environment } from "./environment.ts";
import { inApiNames } from "./parsing.ts";
import { STDIN } from "./standard-streams.ts";

/** All other options are fields of the request, such as `aspectRatio`. */
export type CreateOptions = {
  model?: string;
  image?: string[];
  lastImage?: string;
  n?: number;
  output?: string;
  idempotencyKey?: string;
  wait?: boolean;
  [field: string]: unknown;
};

export type Kind = "video" | "image";
export type Request = { kind: "video"; body: VideoRequest } | { kind: "image"; body: ImageRequest };

/** `piped` is the picture that `-` stands for. Throws UsageError for a second picture of a video. */
export function requestFor(
  kind: Kind,
  prompt: string,
  options: CreateOptions,
  env: Environment,
  piped?: Uint8Array,
): Request {
  const picture = (text: string | undefined) =>
    text === STDIN && piped ? piped : text && pictureOf(text, env);
  const {
    image,
    lastImage,
    output: _output,
    idempotencyKey: _key,
    wait: _wait,
    ...fields
  } = options;
  const pictures = image?.map(picture);
  if (kind === "video" && pictures && pictures.length > 1)
    throw new UsageError("A video takes one --image at most.");
  const [first] = pictures ?? [];
  const body = {
    ...inApiNames(fields),
    prompt,
    ...(kind === "image" ? { image_urls: pictures } : { image_url: first }),
    last_image_url: picture(lastImage),
  };
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return { kind, body: Object.fromEntries(given) } as unknown as Request;
}

/** Throws UsageError for a picture on disk that cannot be read; called before Tokens are spent. */
export async function checkPictures(options: CreateOptions, env: Environment): Promise<void> {
  for (const text of picturesOf(options)) {
    const picture = pictureOf(text, env);
    if (text !== STDIN && typeof picture !== "string") await checkReadable(picture.path);
  }
}

/** The pictures of all options, as they were written. */
export function picturesOf({ image = [], lastImage }: CreateOptions): string[] {
  return lastImage === undefined ? image : [...image, lastImage];
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
