/** The provider for OpenAI and compatible gateways: videos are jobs, images are made within one call. */
import { FormData } from "undici";
import type { KindName } from "#vocabulary/names.ts";
import type { CreateProvider, Failure, Job, Picture, Polled, Source } from "../provider.ts";
import type { Answer, Call } from "../shared/http.ts";
import { carried, objectAt, promptOf } from "../shared/input.ts";
import { at, dataUri, inlineSource, listAt, numberAt, textAt } from "../shared/json.ts";
import {
  closed,
  createVendorApi,
  rateLimited,
  type Refusal,
  refusalOfStatus,
  refused,
  unavailable,
  UPSTREAM_FAILURES,
} from "../shared/outcome.ts";

export const openaiProvider: CreateProvider = ({ baseUrl, key, clock }) => {
  const keyHeaders = { authorization: `Bearer ${key}` };
  const api = createVendorApi({ baseUrl, clock, headers: keyHeaders }, openaiRefusal);

  return {
    takesBytes: true,
    carries: openaiCarries,
    submit: (job, signal) => {
      const call = { method: "POST", path: "/videos", json: videoRequest(job) } as const;
      return api.submit(call, signal, ({ body }) => textAt(body, "id"));
    },
    // NOTE: the API lists jobs without anything that identifies a submit, and cannot stop a job.
    find: () => Promise.resolve({ kind: "unknown" }),
    cancel: () => Promise.resolve(false),
    poll: (upstreamId, signal) => {
      const path = `/videos/${encodeURIComponent(upstreamId)}`;
      const content = api.sourceAt(`${baseUrl}${path}/content`, keyHeaders);
      return api.poll(path, signal, {
        isGone: (body) => textAt(body, "error", "message") !== undefined,
        stateOf: (body) => videoState(body, content, clock.now().getTime()),
      });
    },
    image: (job, signal) =>
      api.image(imageCall(job), signal, ({ body }) => {
        const sources = imageSources(body, (url) => api.sourceAt(url, keyHeaders));
        if (sources.length > 0) return { kind: "succeeded", sources };
        return { kind: "failed", failure: UPSTREAM_FAILURES.failed };
      }),
    check: (signal) => api.check({ path: "/models" }, signal),
  };
};

// Builds video requests to OpenAI-compatible APIs and maps their jobs to the provider interface.

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

/** An unknown status counts as running; the task ends at its deadline at the latest. */
function videoState(video: unknown, content: Source, nowMs: number): Polled | undefined {
  const progress = numberAt(video, "progress");
  switch (textAt(video, "status")) {
    case undefined:
      return undefined;
    case "completed":
      return (numberAt(video, "expires_at") ?? Infinity) * 1000 <= nowMs
        ? { kind: "failed", failure: UPSTREAM_FAILURES.resultGone }
        : { kind: "succeeded", sources: [content] };
    case "failed":
      return { kind: "failed", failure: jobFailure(at(video, "error")) };
    case "cancelled":
    case "canceled":
      return { kind: "stopped" };
    default:
      return {
        kind: "running",
        pollAfterMs: POLL_AFTER_MS,
        ...(progress === undefined ? {} : { progress }),
      };
  }
}

// Builds requests to the image models of OpenAI-compatible APIs and reads their answers.

/** Pictures of the highest quality take minutes. */
const IMAGE_TIMEOUT_MS = 280_000;

function openaiCarries(kind: KindName) {
  return kind === "video"
    ? carried({ resolution: true })
    : carried({ n: true, mask_url: true, background: true, output_format: true });
}

/** A create, or an edit if there are reference images; `parameters.body` is added unchanged. */
function imageCall(job: Job): Call {
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
  const common = { method: "POST", timeoutMs: IMAGE_TIMEOUT_MS } as const;
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
function imageSources(body: unknown, sourceOf: (url: string) => Source): Source[] {
  return listAt(body, "data").flatMap((picture) => {
    const content = textAt(picture, "b64_json");
    if (content !== undefined) return inlineSource(content) ?? [];
    const url = textAt(picture, "url");
    return url === undefined ? [] : [sourceOf(url)];
  });
}

// Maps the errors of OpenAI-compatible APIs to the provider interface.

const CONTENT_CODE = /moderation|content_policy|content_filter|safety/i;
const CONTENT_TEXT = /safety system|content policy|moderation/i;
const BILLING = new Set(["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"]);
/** A request has these fields because the configuration says so, or with every request. */
const UNKNOWN_FIELD = /^(unknown|unsupported)_parameter$/;

/** "The requested model does not have enough capacity to process your request" (OpenAI, error codes, 503). */
const OVERLOADED = "server_is_overloaded";

/** Why a video job failed. The codes are not published, so only unambiguous ones are mapped. */
function jobFailure(error: unknown): Failure {
  if (isContent(error)) return UPSTREAM_FAILURES.contentRejected;
  const code = textAt(error, "code") ?? "";
  const isInputFault =
    textAt(error, "type") === "invalid_request_error" || code.startsWith("invalid_");
  return isInputFault ? inputFailure(error) : UPSTREAM_FAILURES.failed;
}

/** The meaning of an unsuccessful answer to a submit. */
function openaiRefusal(answer: Answer): Refusal {
  const error = at(answer.body, "error");
  const code = textAt(error, "code") ?? textAt(error, "type") ?? "";
  if (answer.status === 503 && code === OVERLOADED) return unavailable(answer);
  if (answer.status >= 500) return refusalOfStatus(answer);
  if (BILLING.has(code)) return closed("billing", "the upstream account's quota is spent");
  if (code === "model_not_found") return closed("config", "the upstream does not know the model");
  if (UNKNOWN_FIELD.test(code)) {
    return closed("config", `the model does not take the field ${textAt(error, "param")}`);
  }
  if (answer.status === 429) return rateLimited(answer);
  if (answer.status !== 400 && answer.status !== 422) return refusalOfStatus(answer);
  return refused(isContent(error) ? UPSTREAM_FAILURES.contentRejected : inputFailure(error));
}

function isContent(error: unknown): boolean {
  return (
    CONTENT_CODE.test(textAt(error, "code") ?? "") ||
    CONTENT_TEXT.test(textAt(error, "message") ?? "")
  );
}

function inputFailure(error: unknown): Failure {
  const about = `${textAt(error, "param") ?? ""} ${textAt(error, "message") ?? ""}`;
  const isPicture = /\bimage|input_reference/i.test(about);
  return isPicture ? UPSTREAM_FAILURES.unreadablePicture : UPSTREAM_FAILURES.invalidInput;
}
