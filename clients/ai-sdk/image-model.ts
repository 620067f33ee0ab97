/** Image models of the AI SDK. */
import { UnsupportedFunctionalityError, type ImageModelV4, type JSONArray } from "@ai-sdk/provider";
import type { Image, ImageBody, ImageRequest, Model, Result } from "../typescript/index.ts";
import {
  allThatSucceed,
  asApiCall,
  bytesOf,
  callOptions,
  createOptions,
  faultOf,
  generationError,
  MAX_PER_CALL,
  ofCreated,
  responseOf,
  type Service,
} from "./calls.ts";
import {
  modelFor,
  OPTIONS_NAME,
  pictureOf,
  ratiosOf,
  refuse,
  RequestFields,
  withSameShape,
} from "./requests.ts";

/** `providerOptions.mediaGeneration`: fields of the API's request that the AI SDK has no option for. */
export type ImageOptions = Partial<Omit<ImageBody, "model" | "prompt" | "n">>;

type Call = Parameters<ImageModelV4["doGenerate"]>[0];

const CREATE_PATH = "/images/generations";

export function imageModel(serviceOf: () => Service, modelId: string): ImageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "media-generation.image",
    modelId,
    maxImagesPerCall: MAX_PER_CALL,
    supportsFileInputs: true,
    supportsMaskInputs: true,
    doGenerate: async (call) => {
      const service = serviceOf();
      const { seed, aspectRatio, mask, n } = call;
      const hints = [seed, aspectRatio, mask, n > 1 ? n : undefined];
      const model = await modelFor(service, modelId, hints, callOptions(call));
      const { request, warnings } = requestFor(modelId, call, model);
      const max = model?.parameters["n"]?.max ?? 1;
      const creates = Array.from({ length: Math.ceil(n / max) }, (_, index) => {
        const count = Math.min(max, n - index * max);
        return finished(service, count > 1 ? { ...request, n: count } : request, call, index);
      });
      const made = await allThatSucceed(warnings, creates);
      const outputs = made.flatMap(({ id, credits, output }) =>
        output.map((each, index) => ({
          id,
          credits: shareOf(credits, output.length, index),
          ...each,
        })),
      );
      return {
        images: await Promise.all(outputs.map((output) => bytesOf(service.client, output, call))),
        isRetryable: false,
        warnings,
        providerMetadata: { [OPTIONS_NAME]: { images: outputs as JSONArray } },
        response: responseOf(made[0], modelId),
      };
    },
  };
}

/** What one of the images of a generation costs, in whole Tokens: together they cost its price, the first what is left over. */
function shareOf(credits: number, count: number, index: number): number {
  return Math.floor(credits / count) + (index === 0 ? credits % count : 0);
}

/** Created as a video is, so that no request takes longer than a minute, and waited for. */
async function finished(
  service: Service,
  body: ImageRequest,
  call: Call,
  index: number,
): Promise<Result<Image>> {
  const { images } = service.client;
  const create = images.create(body, { ...createOptions(call, index), respondAsync: true });
  const { id } = await asApiCall(service.urlOf(CREATE_PATH), body, create);
  const url = service.urlOf(`${CREATE_PATH}/${id}`);
  const image = await ofCreated(url, id, call, images.wait(id, callOptions(call)), body);
  if (image.status === "success") return image;
  throw generationError(url, image, faultOf(image));
}

/** `model` is there where one of the hints is. */
function requestFor(modelId: string, call: Call, model: Model | undefined) {
  const { prompt, size, aspectRatio, seed, files, mask, providerOptions } = call;
  if (mask && !model?.parameters["mask_url"])
    throw new UnsupportedFunctionalityError({
      functionality: "mask",
      message: `${modelId} takes no mask. Nothing is charged.`,
    });
  const built = new RequestFields(modelId, prompt, providerOptions);
  if (size) built.set("size", size);
  else built.set("size", sizeOf(modelId, aspectRatio, model?.sizes ?? []), "aspectRatio");
  if (size && aspectRatio) built.leave("aspectRatio", "size is given too, and decides.");
  built.parameter("seed", "seed", seed, model);
  built.set("image_urls", files?.length ? files.map(pictureOf) : undefined, "files");
  built.set("mask_url", mask && pictureOf(mask), "mask");
  return { request: built.fields as ImageRequest, warnings: built.warnings };
}

function sizeOf(
  modelId: string,
  aspectRatio: string | undefined,
  sizes: readonly string[],
): string | undefined {
  if (!aspectRatio) return undefined;
  return (
    withSameShape(sizes, aspectRatio) ??
    refuse(modelId, "aspectRatio", aspectRatio, ratiosOf(sizes))
  );
}
