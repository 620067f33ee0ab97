/** Image models of the AI SDK. */
import type { ImageModelV4, JSONArray } from "@ai-sdk/provider";
import type { Client } from "../typescript/index.ts";
import { allThatSucceed, asApiCall, callOptions, createOptions, MAX_PER_CALL } from "./calls.ts";
import { imageHints, imageRequest } from "./image-request.ts";
import { modelFor, OPTIONS_NAME } from "./requests.ts";

const CREATE_PATH = "/images/generations";
/** The image is paid for: a download that breaks is worth another. */
const MAX_DOWNLOADS = 3;

export function imageModel(clientOf: () => Client, modelId: string): ImageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "media-generation.image",
    modelId,
    maxImagesPerCall: MAX_PER_CALL,
    supportsFileInputs: true,
    supportsMaskInputs: true,
    doGenerate: async (call) => {
      const client = clientOf();
      const model = await modelFor(client, modelId, imageHints(call), callOptions(call));
      const { request, warnings } = imageRequest(modelId, call, model);
      const counts = countsOf(call.n, model?.parameters["n"]?.max ?? 1);
      const made = await allThatSucceed(
        warnings,
        counts.map((n, index) => {
          const body = n === 1 ? request : { ...request, n };
          const image = client.images.createAndWait(body, createOptions(call, index));
          return asApiCall(CREATE_PATH, body, image);
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
