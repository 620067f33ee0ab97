/** Requests and answers of the OpenAI dialect's image models. */
import type { Call } from "../shared/http.ts";
import { inlineSource } from "../shared/inline.ts";
import { listAt, textAt } from "../shared/json.ts";
import { objectAt } from "../shared/model-input.ts";
import { promptOf } from "../shared/prompt.ts";
import type { Job, Source } from "../provider.ts";

/** Pictures of the highest quality take minutes. */
const TIMEOUT_MS = 280_000;

/** A create, or an edit where there are reference images; `parameters.body` is added as it is. */
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
      user: job.endUser,
      images: isEdit ? job.imageUrls.map((image_url) => ({ image_url })) : undefined,
      ...objectAt(job.parameters, "body"),
    },
  };
}

/** The picture of an answer: its bytes, or a URL where a gateway keeps files. */
export function imageSource(body: unknown, sourceOf: (url: string) => Source): Source | undefined {
  const [picture] = listAt(body, "data");
  const content = textAt(picture, "b64_json");
  if (content !== undefined) return inlineSource(content);
  const url = textAt(picture, "url");
  return url === undefined ? undefined : sourceOf(url);
}
