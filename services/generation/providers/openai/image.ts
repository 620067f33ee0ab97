/** Requests and answers of the OpenAI dialect's image models. */
import { objectAt } from "../model-input.ts";
import type { Job, Source } from "../provider.ts";

export type Images = { data?: { b64_json?: string | null; url?: string | null }[] };

/** The path and body of a create; reference images make it an edit. `parameters.body` is added as it is. */
export function imageRequest(job: Job): { path: string; body: object } {
  const body = {
    model: job.model,
    prompt: promptOf(job),
    size: `${job.width}x${job.height}`,
    n: 1,
    user: job.endUser,
    ...objectAt(job.parameters, "body"),
  };
  if (job.imageUrls.length === 0) return { path: "/images/generations", body };
  const images = job.imageUrls.map((image_url) => ({ image_url }));
  return { path: "/images/edits", body: { ...body, images } };
}

/** The pictures of an answer: bytes, or URLs where a gateway keeps files. */
export function imageSources(body: Images, sourceOf: (url: string) => Source): Source[] {
  return (body.data ?? []).flatMap(({ b64_json: content, url }) => {
    if (typeof content === "string") return [{ content: Buffer.from(content, "base64") }];
    return typeof url === "string" ? [sourceOf(url)] : [];
  });
}

/** There is no field for what to avoid, so the prompt says it. */
function promptOf({ prompt, negativePrompt }: Job): string {
  return negativePrompt === undefined ? prompt : `${prompt}\n\nAvoid: ${negativePrompt}`;
}
