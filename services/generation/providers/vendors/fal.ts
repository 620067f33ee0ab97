/** The provider for fal's queue, where both videos and images are jobs. */
import type { CreateProvider, Callback, Polled, Provider } from "../provider.ts";
import type { Answer } from "../shared/http.ts";
import { modelInput, namedFields } from "../shared/input.ts";
import { at, parsedJson, listAt, textAt } from "../shared/json.ts";
import {
  createVendorApi,
  failed,
  failureBy,
  type Rule,
  UPSTREAM_FAILURES,
  UpstreamError,
  type VendorApi,
} from "../shared/outcome.ts";

/** The status of a job that cannot exist: fal checks the key before it looks the job up. */
const CHECK_PATH = "/fal-ai/any/requests/00000000-0000-0000-0000-000000000000/status";
const POLL_AFTER_MS = 2_000;

const COMMON_NAMES = { prompt: "prompt", negative_prompt: "negative_prompt", seed: "seed" };
const NAMES = {
  video: {
    ...COMMON_NAMES,
    image: "image_url",
    duration: "duration",
    aspect_ratio: "aspect_ratio",
  },
  image: { ...COMMON_NAMES, images: "image_urls", size: "image_size" },
};

export const falProvider: CreateProvider = ({ baseUrl, key, clock }) => {
  const headers = { authorization: `Key ${key}` };
  const api = createVendorApi({ baseUrl, clock, headers }, { faultOf, refusals: REFUSALS });

  const provider: Provider = {
    carries: (kind, parameters) => namedFields(kind, parameters, NAMES[kind]),
    submit: (job, signal) => {
      const call = {
        path: `/${job.model}`,
        query: { fal_webhook: job.callbackUrl },
        json: modelInput(job, NAMES[job.kind]),
      };
      return api.submit(call, signal, (body) => receivedAddress(baseUrl, job.model, body));
    },
    poll: async (upstreamId, signal) => {
      const answer = await api.call({ method: "GET", path: `/${upstreamId}/status` }, signal);
      if (isGone(answer)) return { kind: "gone" };
      const status = textAt(answer.body, "status");
      if (answer.status >= 300 || status === undefined) throw new UpstreamError("a status", answer);
      if (status === "COMPLETED") return finishedJob(api, upstreamId, answer.body, signal);
      const { retryAfterMs } = answer;
      return { kind: "running", pollAfterMs: POLL_AFTER_MS, retryAfterMs };
    },
    cancel: async (upstreamId, signal) => {
      const answer = await api.call({ method: "PUT", path: `/${upstreamId}/cancel` }, signal);
      const status = textAt(answer.body, "status");
      if (status !== "CANCELLATION_REQUESTED") return status === "OK";
      const { kind } = await provider.poll(upstreamId, signal);
      return kind === "stopped" || kind === "gone";
    },
    callback: callbackJob,
    // An answer about the job, which cannot exist, means that the key was accepted.
    check: (signal) =>
      api.check({ path: CHECK_PATH }, signal, ({ status }) => [400, 404, 422].includes(status)),
  };
  return provider;
};

/** Returns the address of the job in a callback. */
function callbackJob({ body, model }: Callback): string | undefined {
  const id = textAt(parsedJson(body), "request_id");
  return id === undefined || model === undefined ? undefined : jobAddress(model, id);
}

const ADDRESS = /^(\w[\w.-]*\/){2,4}requests\/[\w-]+$/;
/** Prefixes that can precede the application's name. */
const NAMESPACES = new Set(["workflows", "comfy"]);

/** Returns the address in an accepting answer if it is below the base URL, else the one derived from the model. */
function receivedAddress(baseUrl: string, model: string, body: unknown): string | undefined {
  const given = textAt(body, "response_url") ?? "";
  const address = given.startsWith(`${baseUrl}/`) ? given.slice(baseUrl.length + 1) : "";
  if (ADDRESS.test(address)) return address;
  const id = textAt(body, "request_id");
  return id === undefined ? undefined : jobAddress(model, id);
}

/** A job's address has the application's name without the path of a function. */
function jobAddress(model: string, requestId: string): string | undefined {
  const parts = model.split("/");
  const application = parts.slice(0, NAMESPACES.has(parts[0] ?? "") ? 3 : 2).join("/");
  const address = `${application}/requests/${requestId}`;
  return ADDRESS.test(address) ? address : undefined;
}

const IN_PROGRESS = /still in progress/i;

/** `status` is the body of the status COMPLETED, which failed jobs have too. */
async function finishedJob(
  api: VendorApi,
  upstreamId: string,
  status: unknown,
  signal: AbortSignal,
): Promise<Polled> {
  const end = endBy(status);
  if (end) return end;
  const answer = await api.call({ method: "GET", path: `/${upstreamId}` }, signal);
  if (isGone(answer)) return { kind: "gone" };
  if (answer.status >= 300) return failedResult(answer, hasError(status));
  if (hasError(status)) return failed(UPSTREAM_FAILURES.failed);
  // The model's own check withheld a picture; it then returns a black one.
  const isWithheld = listAt(answer.body, "has_nsfw_concepts").includes(true);
  if (isWithheld) return failed(UPSTREAM_FAILURES.outputRejected);
  if (answer.body === undefined) throw new UpstreamError("a request for a result", answer);
  const urls = outputUrls(answer.body);
  if (urls.length === 0) return failed(UPSTREAM_FAILURES.failed);
  return { kind: "succeeded", sources: urls.flatMap((url) => api.sourceAt(url) ?? []) };
}

/** Maps an unsuccessful result. Throws if it is not about the model, because the query itself then failed. */
function failedResult(answer: Answer, isFailed: boolean): Polled {
  if (IN_PROGRESS.test(textAt(answer.body, "detail") ?? "")) {
    return { kind: "running", pollAfterMs: POLL_AFTER_MS };
  }
  const end = endBy(answer.body);
  if (end) return end;
  if (answer.status === 400 || answer.status === 422) return failed(UPSTREAM_FAILURES.invalidInput);
  if (isFailed) return failed(UPSTREAM_FAILURES.failed);
  throw new UpstreamError("a request for a result", answer);
}

/** Undefined if the body names no error. */
function endBy(body: unknown): Polled | undefined {
  const fault = faultOf(body);
  if (fault.code === "") return undefined;
  // This service caused these errors by canceling.
  const isStopped = /\bclient_(cancelled|disconnected)\b/.test(fault.code);
  return isStopped ? { kind: "stopped" } : failed(failureBy(FAILURES, fault));
}

const hasError = (status: unknown) => Boolean(at(status, "error"));

/** The names that fal's models use for a file or a list of files. */
const OUTPUT_NAMES = ["video", "videos", "image", "images"];

/** Returns the URLs of the files under the first name that has any; files under other names are extras, e.g. the last frame. */
function outputUrls(body: unknown): string[] {
  const named = OUTPUT_NAMES.map((name) => [at(body, name)].flat());
  const urls = named.map((files) => files.flatMap((file) => textAt(file, "url") ?? []));
  return urls.find(({ length }) => length > 0) ?? [];
}

const FAILURES: readonly Rule[] = [
  { code: /\bcontent_policy_violation\b/, means: "contentRejected" },
  // Usually an undeclared safety refusal of the model.
  { code: /\bno_media_generated\b/, means: "outputRejected" },
  {
    code: /\b(file_download_error|image_load_error|face_detection_error|unsupported_image_format)\b/,
    means: "unreadablePicture",
  },
  { code: /\b(file_too_large|image_too_\w+)/, means: "unsuitablePicture" },
  { code: /\bstring_too_long\b/, means: "promptTooLong" },
  {
    code: /\b(missing|value_error|one_of|bad_request|feature_not_supported|literal_error|enum|greater_than|less_than|sequence_too_|string_too_|unsupported_\w+_format)/,
    means: "invalidInput",
  },
  { code: /./, means: "failed" },
];

const REFUSALS: readonly Rule[] = [
  { status: [403], message: /balance|locked|credit|billing/i, means: "billing" },
  ...FAILURES.map((rule) => ({ ...rule, status: [400, 422] })),
];

/** True if fal itself reports the job as unknown; a proxy's 404 says nothing about the job. */
function isGone({ status, body }: Answer): boolean {
  return status === 404 && textAt(body, "detail") !== undefined;
}

/** The code has all error types of a body: a model's are in the list `detail`, a request's in `error_type`. */
function faultOf(body: unknown) {
  const ofModel = listAt(body, "detail").map((one) => textAt(one, "type"));
  const types = [...ofModel, textAt(body, "error_type")].filter((type) => type !== undefined);
  return { code: types.join(" "), message: textAt(body, "detail") };
}
