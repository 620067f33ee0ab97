/** Image models of the AI SDK. */
import type { ImageModelV4, JSONArray } from "@ai-sdk/provider";
import type {
  CallOptions,
  Client,
  CreateOptions,
  Image,
  ImageRequest,
  Result,
} from "../typescript/index.ts";
import {
  allThatSucceed,
  asApiCall,
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
/** The image is paid for: a download that breaks is worth another. */
const MAX_DOWNLOADS = 3;

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
  const image = await asApiCall(url, body, client.images.wait(id, options), id);
  if (image.status === "success") return image;
  throw generationError(url, image, faultOf(image));
}

/** How many images each create makes, of which one makes at most `max`. */
function countsOf(n: number, max: number): number[] {
  return Array.from({ length: Math.ceil(n / max) }, (_, i) => Math.min(max, n - i * max));
}

async function bytesOf(
  client: Client,
  output: { url: string },
  { abortSignal }: { abortSignal?: AbortSignal },
): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    const response = await client.download(output, abortSignal ? { signal: abortSignal } : {});
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      if (attempt === MAX_DOWNLOADS || abortSignal?.aborted) throw error;
    }
  }
}
