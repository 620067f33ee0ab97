/** A create of the public API as a request to copy; the key always comes from the reader's environment. */
import { curlSample } from "../../../../services/gateway/http/docs-languages.ts";
import type { SampleRequest } from "../../../../services/gateway/http/docs-languages.ts";

export {
  curlSample,
  pythonSample,
  typescriptSample,
} from "../../../../services/gateway/http/docs-languages.ts";

export function createRequest(kind: "video" | "image", body: object): SampleRequest {
  const url = `${globalThis.location.origin}/v1/${kind}s/generations`;
  return { method: "POST", url, hasIdempotencyKey: true, body };
}

/** What a newcomer pastes first. */
export function firstCurl(model: string, mode: "live" | "test"): string {
  const body = { model, prompt: "A cat asleep on a warm radiator" };
  return `export MEDIA_API_KEY=mgs_${mode}_…\n\n${curlSample(createRequest("video", body))}`;
}
