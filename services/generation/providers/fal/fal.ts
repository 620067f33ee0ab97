/** The adapter to fal's queue, where both videos and images are jobs. */
import type { Adapter } from "../shared/adapter.ts";
import { withRetryAfter } from "../shared/asked-wait.ts";
import { callbackJson } from "../shared/callback-body.ts";
import { type Answer, createApi } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import { modelInput, namedFields } from "../shared/model-input.ts";
import { checkOnce, submitOnce, UpstreamError } from "../shared/outcome.ts";
import type { Callback, Provider } from "../provider.ts";
import { falRefusal, isGone } from "./errors.ts";
import { finishedJob } from "./result.ts";
import { falKeys, fetchFalKeys, isFalCallback } from "./webhook.ts";

/** The status of a job that cannot exist: fal checks the key before it looks the job up. */
const CHECK_PATH = "/fal-ai/any/requests/00000000-0000-0000-0000-000000000000/status";
const POLL_QUEUED_MS = 3_000;
const POLL_RUNNING_MS = 2_000;

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

export const falProvider: Adapter = ({ baseUrl, key, clock }) => {
  const api = createApi({ baseUrl, clock, headers: { authorization: `Key ${key}` } });
  const nowMs = () => clock.now().getTime();
  const keys = falKeys(() => fetchFalKeys(baseUrl, clock), nowMs);

  const provider: Provider = {
    carries: (kind, parameters) => namedFields(kind, parameters, NAMES[kind]),
    submit: (job, signal) =>
      submitOnce(
        api,
        {
          method: "POST",
          path: `/${job.model}`,
          query: { fal_webhook: job.callbackUrl },
          json: modelInput(job, NAMES[job.kind]),
        },
        signal,
        {
          idOf: ({ body }) => receivedAddress(baseUrl, job.model, body),
          refusalOf: falRefusal,
        },
      ),
    // NOTE: fal has no list of jobs; only a callback can supply the id.
    find: () => Promise.resolve({ kind: "unknown" }),
    poll: async (upstreamId, signal) => {
      const answer = await api.call({ method: "GET", path: `/${upstreamId}/status` }, signal);
      if (isGone(answer)) return { kind: "gone" };
      const status = textAt(answer.body, "status");
      if (answer.status >= 300 || status === undefined) throw new UpstreamError("a status", answer);
      if (status === "COMPLETED") return finishedJob(api, upstreamId, answer.body, signal);
      const pollAfterMs = status === "IN_QUEUE" ? POLL_QUEUED_MS : POLL_RUNNING_MS;
      return withRetryAfter(answer, { kind: "running", pollAfterMs });
    },
    cancel: async (upstreamId, signal) => {
      const answer = await api.call({ method: "PUT", path: `/${upstreamId}/cancel` }, signal);
      const status = textAt(answer.body, "status");
      if (status !== "CANCELLATION_REQUESTED") return status === "OK";
      const { kind } = await provider.poll(upstreamId, signal);
      return kind === "stopped" || kind === "gone";
    },
    callback: async (callback) => {
      if (!(await isFalCallback(callback, keys, nowMs()))) return undefined;
      return callbackJob(callback);
    },
    check: (signal) =>
      checkOnce(api, { method: "GET", path: CHECK_PATH }, signal, falRefusal, isAboutJob),
  };
  return provider;
};

/** Returns the address of the job in a genuine callback. */
function callbackJob({ body, model }: Callback): string | undefined {
  const id = textAt(callbackJson(body), "request_id");
  return id === undefined || model === undefined ? undefined : jobAddress(model, id);
}

/** An answer about the job, which cannot exist, means that the key was accepted. */
function isAboutJob(answer: Answer): boolean {
  return answer.status === 404 || falRefusal(answer).kind === "refused";
}

const ADDRESS = /^(\w[\w.-]*\/){2,4}requests\/[\w-]+$/;
/** Prefixes that can precede the application's name. */
const NAMESPACES = new Set(["workflows", "comfy"]);

/** Returns the address in an accepting answer if it is below the base URL, else the one derived from the model. */
export function receivedAddress(baseUrl: string, model: string, body: unknown): string | undefined {
  const given = textAt(body, "response_url") ?? "";
  const address = given.startsWith(`${baseUrl}/`) ? given.slice(baseUrl.length + 1) : "";
  if (ADDRESS.test(address)) return address;
  const id = textAt(body, "request_id");
  return id === undefined ? undefined : jobAddress(model, id);
}

/** A job's address has the application's name without the path of a function. */
export function jobAddress(model: string, requestId: string): string | undefined {
  const parts = model.split("/");
  const application = parts.slice(0, NAMESPACES.has(parts[0] ?? "") ? 3 : 2).join("/");
  const address = `${application}/requests/${requestId}`;
  return ADDRESS.test(address) ? address : undefined;
}
