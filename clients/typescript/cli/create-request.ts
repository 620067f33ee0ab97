/** Builds the create request from the options. */
import type { ImageRequest, Model, VideoRequest } from "../index.ts";
import { UsageError } from "./cli-errors.ts";
import type { GenerateOptions } from "./commands.ts";

export type Request = { kind: "video"; body: VideoRequest } | { kind: "image"; body: ImageRequest };

/** Throws UsageError for an option that models of this kind do not have; the service checks the values. */
export function requestFor(model: Model, prompt: string, options: GenerateOptions): Request {
  const { negativePrompt, metadata } = options;
  const common = {
    model: model.id,
    prompt,
    ...(negativePrompt === undefined ? {} : { negative_prompt: negativePrompt }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return model.kind === "video"
    ? { kind: "video", body: { ...common, ...videoFields(model, options) } }
    : { kind: "image", body: { ...common, ...imageFields(model, options) } };
}

function videoFields({ id }: Model, options: GenerateOptions): Partial<VideoRequest> {
  const { duration, aspectRatio, imageUrl = [] } = options;
  if (options.size !== undefined || options.seed !== undefined) {
    throw new UsageError(`--size and --seed are for image models; ${id} makes videos.`);
  }
  if (imageUrl.length > 1) throw new UsageError("A video takes one --image-url at most.");
  const [first] = imageUrl;
  return {
    ...(duration === undefined ? {} : { duration }),
    ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
    ...(first === undefined ? {} : { image_url: first }),
  };
}

function imageFields({ id }: Model, options: GenerateOptions): Partial<ImageRequest> {
  const { size, seed, imageUrl } = options;
  if (options.duration !== undefined || options.aspectRatio !== undefined) {
    throw new UsageError(
      `--duration and --aspect-ratio are for video models; ${id} makes images and takes --size.`,
    );
  }
  return {
    ...(size === undefined ? {} : { size }),
    ...(seed === undefined ? {} : { seed }),
    ...(imageUrl === undefined ? {} : { image_urls: imageUrl }),
  };
}
