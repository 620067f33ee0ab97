/** The provider for OpenAI and compatible gateways: videos are jobs, images are made within one call. */
import { FormData } from "undici";
import type { KindName } from "#vocabulary/names.ts";
import type { CreateProvider, Job, Picture } from "../provider.ts";
import { carried, objectAt, promptOf } from "../shared/input.ts";
import { at, dataUri, inlineSource, listAt, numberAt, textAt } from "../shared/json.ts";
import {
  createVendorApi,
  failureBy,
  type JobReader,
  type Post,
  type Rule,
  UPSTREAM_FAILURES,
} from "../shared/outcome.ts";

export const openaiProvider: CreateProvider = ({ baseUrl, key, clock }) => {
  const headers = { authorization: `Bearer ${key}` };
  const api = createVendorApi({ baseUrl, clock, headers }, { faultOf, refusals: REFUSALS });
  const isExpired = (video: unknown) =>
    (numberAt(video, "expires_at") ?? Infinity) * 1000 <= clock.now().getTime();
  const videoAt = (path: string): JobReader => ({
    states: STATES,
    pollAfterMs: POLL_AFTER_MS,
    progressOf: (video) => numberAt(video, "progress"),
    sourcesOf: (video) =>
      isExpired(video) ? [] : [api.sourceAt(`${baseUrl}${path}/content`, headers)],
    failureOf: (video) =>
      STATES[textAt(video, "status") ?? ""] === "made"
        ? UPSTREAM_FAILURES.resultGone
        : failureBy(FAILURES, faultOf(video)),
  });

  return {
    takesBytes: true,
    carries: openaiCarries,
    submit: (job, signal) => api.submit({ path: "/videos", json: videoRequest(job) }, signal),
    // NOTE: the API cannot stop a job.
    cancel: () => Promise.resolve(false),
    poll: (upstreamId, signal) => {
      const path = `/videos/${encodeURIComponent(upstreamId)}`;
      return api.poll(path, signal, videoAt(path), (body) => faultOf(body).message !== undefined);
    },
    image: (job, signal) =>
      api.image(imageCall(job), signal, {
        // Some gateways answer with URLs.
        sourcesOf: (body) =>
          listAt(body, "data").map(
            (picture) =>
              inlineSource(textAt(picture, "b64_json")) ??
              api.sourceAt(textAt(picture, "url"), headers),
          ),
        failureOf: () => UPSTREAM_FAILURES.failed,
      }),
    check: (signal) => api.check({ path: "/models" }, signal),
  };
};

const POLL_AFTER_MS = 10_000;

/** The body of a create; `parameters.body` of the upstream is added unchanged. */
function videoRequest(job: Job): object {
  const [image] = job.pictures ?? [];
  return {
    model: job.model,
    prompt: promptOf(job),
    size: `${job.width}x${job.height}`,
    seconds: job.durationSeconds === undefined ? undefined : `${job.durationSeconds}`,
    input_reference: image && { image_url: dataUri(image) },
    ...objectAt(job.parameters, "body"),
  };
}

const STATES: JobReader["states"] = {
  completed: "made",
  failed: "failed",
  cancelled: "stopped",
  canceled: "stopped",
};

/** Pictures of the highest quality take minutes. */
const IMAGE_TIMEOUT_MS = 280_000;

function openaiCarries(kind: KindName) {
  return kind === "video"
    ? carried({ resolution: true })
    : carried({ n: true, mask_url: true, background: true, output_format: true });
}

/** A create, or an edit if there are reference images; `parameters.body` is added unchanged. */
function imageCall(job: Job): Post {
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
  const timeoutMs = IMAGE_TIMEOUT_MS;
  return job.imageUrls.length === 0
    ? { path: "/images/generations", json: fields, timeoutMs }
    : { path: "/images/edits", form: editForm(fields, job), timeoutMs };
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

const PICTURE = /\bimage|input_reference/i;
const CONTENT: readonly Rule[] = [
  { code: /moderation|content_policy|content_filter|safety/i, means: "contentRejected" },
  { message: /safety system|content policy|moderation/i, means: "contentRejected" },
];
const INPUT: readonly Rule[] = [
  { field: PICTURE, means: "unreadablePicture" },
  { message: PICTURE, means: "unreadablePicture" },
  { means: "invalidInput" },
];

/** Why a video job failed. The codes are not published, so only unambiguous ones are mapped. */
const FAILURES = [
  ...CONTENT,
  ...INPUT.map((rule) => ({ ...rule, code: /^invalid_|\binvalid_request_error$/ })),
];

const REFUSALS: readonly Rule[] = [
  // "The requested model does not have enough capacity to process your request" (OpenAI, error codes, 503).
  { status: [503], code: /^server_is_overloaded\b/, means: "unavailable" },
  {
    code: /^(insufficient_quota|billing_hard_limit_reached|billing_not_active)\b/,
    means: "billing",
  },
  { code: /^model_not_found\b/, means: "config" },
  // A request has these fields because the configuration says so, or with every request.
  { code: /^(unknown|unsupported)_parameter\b/, means: "config" },
  ...[...CONTENT, ...INPUT].map((rule) => ({ ...rule, status: [400, 422] })),
];

/** `body`: an answer, or a video. Its type follows the code. */
function faultOf(body: unknown) {
  const error = at(body, "error");
  const codes = [textAt(error, "code"), textAt(error, "type")].filter(Boolean);
  return {
    code: [...new Set(codes)].join(" "),
    field: textAt(error, "param"),
    message: textAt(error, "message"),
  };
}
