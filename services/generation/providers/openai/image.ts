/** Builds requests to the image models of OpenAI-compatible APIs and reads their answers. */
import type { Call } from "../shared/http.ts";
import { inlineSource } from "../shared/inline.ts";
import { listAt, textAt } from "../shared/json.ts";
import { objectAt } from "../shared/model-input.ts";
import { promptOf } from "../shared/prompt.ts";
import type { Job, Source } from "../provider.ts";

/** Pictures of the highest quality take minutes. */
const TIMEOUT_MS = 280_000;

/** A create, or an edit if there are reference images; `parameters.body` is added unchanged. */
export function imageCall(job: Job): Call {
  const isEdit = job.imageUrls.length > 0;
  return {
    method: "POST",
    path: isEdit ? "/images/edits" : "/images/generations",
    timeoutMs: TIMEOUT_MS,
    json: {
      model: job.model,
      prompt: promptOf(job),
      size: `${job.width}x${job.height}`,
      n: 1,
      safety_identifier: job.endUser,
      images: isEdit ? job.imageUrls.map((image_url) => ({ image_url })) : undefined,
      ...objectAt(job.parameters, "body"),
    },
  };
}

/** Returns the picture of an answer: its bytes, or the URL that some gateways return instead. */
export function imageSource(body: unknown, sourceOf: (url: string) => Source): Source | undefined {
  const [picture] = listAt(body, "data");
  const content = textAt(picture, "b64_json");
  if (content !== undefined) return inlineSource(content);
  const url = textAt(picture, "url");
  return url === undefined ? undefined : sourceOf(url);
}
