/** The request of an image, of the AI SDK's options. */
import type { ImageModelV4, SharedV4Warning } from "@ai-sdk/provider";
import type { ImageBody, ImageRequest, Model } from "../typescript/index.ts";
import { ownFields, pictureOf, refuse, RequestFields, withSameShape } from "./requests.ts";

/** `providerOptions.mediaGeneration`: fields of the API's request that the AI SDK has no option for. */
export type ImageOptions = Partial<Omit<ImageBody, "model" | "prompt" | "n">>;

type Call = Parameters<ImageModelV4["doGenerate"]>[0];

/** The options that depend on the model. */
export function imageHints({ seed, aspectRatio, n }: Call): unknown[] {
  return [seed, aspectRatio, n > 1 ? n : undefined];
}

/** `model` is there where one of the hints is. */
export function imageRequest(
  modelId: string,
  call: Call,
  model: Model | undefined,
): { request: ImageRequest; warnings: SharedV4Warning[] } {
  const { prompt = "", size, aspectRatio, seed, files, mask, providerOptions } = call;
  const built = new RequestFields();
  built.set("size", size ?? sizeOf(aspectRatio, model?.sizes ?? []));
  if (size && aspectRatio) built.leave("aspectRatio", "size is given too, and decides.");
  built.parameter("seed", "seed", seed, model);
  built.set("image_urls", files?.length ? files.map(pictureOf) : undefined);
  built.set("mask_url", mask && pictureOf(mask));
  const own = ownFields(providerOptions);
  return {
    request: { model: modelId, prompt, ...built.fields, ...own },
    warnings: built.warnings,
  };
}

function sizeOf(aspectRatio: string | undefined, sizes: readonly string[]): string | undefined {
  if (!aspectRatio) return undefined;
  return withSameShape(sizes, aspectRatio) ?? refuse("aspectRatio", aspectRatio, sizes);
}
