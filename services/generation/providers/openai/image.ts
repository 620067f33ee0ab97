/** Builds requests to the image models of OpenAI-compatible APIs and reads their answers. */
import { FormData } from "undici";
import type { KindName } from "#vocabulary/kind.ts";
import { carried } from "../shared/carried.ts";
import type { Call } from "../shared/http.ts";
import { inlineSource } from "../shared/inline.ts";
import { listAt, textAt } from "../shared/json.ts";
import { objectAt } from "../shared/model-input.ts";
import { promptOf } from "../shared/prompt.ts";
import type { Job, Picture, Source } from "../provider.ts";

/** Pictures of the highest quality take minutes. */
const TIMEOUT_MS = 280_000;

export function openaiCarries(kind: KindName) {
  return kind === "video"
    ? carried({ resolution: true })
    : carried({ n: true, mask_url: true, background: true, output_format: true });
}

/** A create, or an edit if there are reference images; `parameters.body` is added unchanged. */
export function imageCall(job: Job): Call {
  const fields = {
    model: job.model,
    prompt: promptOf(job),
    size: `${job.width}x${job.height}`,
    n: job.count ?? 1,
    safety_identifier: job.endUser,
    ...objectAt(job.parameters, "body"),
    ...(job.background === undefined ? {} : { background: job.background }),
    ...(job.outputFormat === undefined ? {} : { output_format: job.outputFormat }),
  };
  const common = { method: "POST", timeoutMs: TIMEOUT_MS } as const;
  return job.imageUrls.length === 0
    ? { ...common, path: "/images/generations", json: fields }
    : { ...common, path: "/images/edits", form: editForm(fields, job) };
}

/** Edits are forms, as in the vendor's SDKs: in JSON they know only `auto` and three sizes. */
function editForm(fields: object, { imageUrls, pictures = [] }: Job): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  pictures.forEach((picture, index) => {
    const name = index < imageUrls.length ? "image[]" : "mask";
    form.append(name, fileOf(picture, `${index}`));
  });
  return form;
}

function fileOf({ content, contentType }: Picture, name: string): File {
  const ending = contentType.replace("image/", "");
  return new File([Buffer.from(content)], `${name}.${ending}`, { type: contentType });
}

/** Returns the pictures of an answer: their bytes, or the URLs that some gateways return instead. */
export function imageSources(body: unknown, sourceOf: (url: string) => Source): Source[] {
  return listAt(body, "data").flatMap((picture) => {
    const content = textAt(picture, "b64_json");
    if (content !== undefined) return inlineSource(content) ?? [];
    const url = textAt(picture, "url");
    return url === undefined ? [] : [sourceOf(url)];
  });
}
