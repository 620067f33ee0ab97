/** Code samples that call the public API. They read the API key from the environment and never contain one. */
import type { SampleRequest } from "../../../samples/sample-languages.ts";

export {
  curlSample,
  pythonSample,
  typescriptSample,
  type SampleRequest,
} from "../../../samples/sample-languages.ts";

export function createRequest(kind: "video" | "image", body: object): SampleRequest {
  const url = `${globalThis.location.origin}/v1/${kind}s/generations`;
  // An image is waited for without asking.
  return { method: "POST", url, hasIdempotencyKey: true, waits: kind === "video", body };
}

export function readModels(): SampleRequest {
  const url = `${globalThis.location.origin}/v1/models`;
  return { method: "GET", url, hasIdempotencyKey: false, body: undefined };
}
