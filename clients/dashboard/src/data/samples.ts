/** Code samples that call the public API. They read the API key from the environment and never contain one. */
import { curlSample, type SampleRequest } from "../../../samples/sample-languages.ts";

export { curlSample, pythonSample, typescriptSample } from "../../../samples/sample-languages.ts";

export function createRequest(kind: "video" | "image", body: object): SampleRequest {
  const url = `${globalThis.location.origin}/v1/${kind}s/generations`;
  return { method: "POST", url, hasIdempotencyKey: true, body };
}

/** The sample for a new user: sets the key's environment variable and creates a video. */
export function firstCurl(model: string, mode: "live" | "test"): string {
  const body = { model, prompt: "A cat asleep on a warm radiator" };
  return `export MEDIA_API_KEY=mgs_${mode}_…\n\n${curlSample(createRequest("video", body))}`;
}
