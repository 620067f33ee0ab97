/** Image models of the AI SDK. */
import type { ImageModelV4, JSONArray } from "@ai-sdk/provider";
import type {
  CallOptions,
  CreateOptions,
  Image,
  ImageRequest,
  Result,
} from "../typescript/index.ts";
import {
  allThatSucceed,
  asApiCall,
  bytesOf,
  callOptions,
  createOptions,
  faultOf,
  generationError,
  MAX_PER_CALL,
  type Service,
} from "./calls.ts";
import { imageHints, imageRequest } from "./image-request.ts";
import { modelFor, OPTIONS_NAME } from "./requests.ts";

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
      const { client } = service;
      const model = await modelFor(service, modelId, imageHints(call), callOptions(call));
      const { request, warnings } = imageRequest(modelId, call, model);
      const counts = countsOf(call.n, model?.parameters["n"]?.max ?? 1);
      const made = await allThatSucceed(
        warnings,
        counts.map((n, index) => {
          const body = n === 1 ? request : { ...request, n };
          return finished(service, body, callOptions(call), createOptions(call, index));
        }),
      );
      const outputs = made.flatMap(({ id, output }) => output.map((each) => ({ id, ...each })));
      const [first] = made;
      return {
        images: await Promise.all(
          outputs.map((output) => asApiCall(output.url, undefined, bytesOf(client, output, call))),
        ),
        isRetryable: false,
        warnings,
        providerMetadata: { [OPTIONS_NAME]: { images: outputs as JSONArray } },
        response: {
          timestamp: new Date(first.created_at),
          modelId,
          headers: Object.fromEntries(first.lastResponse.headers),
        },
      };
    },
  };
}

/** Created as a video is, so that no request takes longer than a minute, and waited for. */
async function finished(
  { client, urlOf }: Service,
  body: ImageRequest,
  options: CallOptions,
  createWith: CreateOptions,
): Promise<Result<Image>> {
  const create = client.images.create(body, { ...createWith, respondAsync: true });
  const { id } = await asApiCall(urlOf(CREATE_PATH), body, create);
  const url = urlOf(`${CREATE_PATH}/${id}`);
  const created = { id, signal: options.signal };
  const image = await asApiCall(url, body, client.images.wait(id, options), created);
  if (image.status === "success") return image;
  throw generationError(url, image, faultOf(image));
}

/** How many images each create makes, of which one makes at most `max`. */
function countsOf(n: number, max: number): number[] {
  return Array.from({ length: Math.ceil(n / max) }, (_, i) => Math.min(max, n - i * max));
}
