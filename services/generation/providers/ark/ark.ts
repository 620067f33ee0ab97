/** The adapter to ByteDance's Ark (ModelArk): Seedance videos as tasks, Seedream images in one call. */
import { callbackJson } from "../shared/callback-body.ts";
import type { Adapter } from "../shared/adapter.ts";
import { withRetryAfter } from "../shared/asked-wait.ts";
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { createApi, type Answer, type Api } from "../shared/http.ts";
import { inlineSource } from "../shared/inline.ts";
import { listAt, textAt } from "../shared/json.ts";
import { checkOnce, imageOnce, sourceAt, submitOnce, UpstreamError } from "../shared/outcome.ts";
import type { Imaged, Polled, Source } from "../provider.ts";
import { findTask } from "./find-task.ts";
import { failureOf, refusalOf } from "./refusals.ts";
import { arkCarries, imageRequest, videoRequest } from "./requests.ts";

const TASKS_PATH = "/contents/generations/tasks";
const IMAGES_PATH = "/images/generations";
const IMAGE_TIMEOUT_MS = 330_000;
const POLL_MS = 10_000;

/** `baseUrl`: with the version, e.g. "https://ark.ap-southeast.bytepluses.com/api/v3". */
export const arkProvider: Adapter = ({ baseUrl, key, clock }) => {
  const api = createApi({ baseUrl, clock, headers: { authorization: `Bearer ${key}` } });
  const pathOf = (id: string) => `${TASKS_PATH}/${encodeURIComponent(id)}`;
  const readTask = (id: string, signal: AbortSignal) =>
    api.call({ method: "GET", path: pathOf(id) }, signal);

  return {
    carries: arkCarries,
    submit: (job, signal) => {
      const call = { method: "POST", path: TASKS_PATH, json: videoRequest(job) } as const;
      return submitOnce(api, call, signal, {
        idOf: ({ body }) => textAt(body, "id"),
        refusalOf,
      });
    },
    find: (lost, signal) => findTask(api, TASKS_PATH, lost, signal),
    poll: async (upstreamId, signal) => {
      const answer = await readTask(upstreamId, signal);
      return withRetryAfter(answer, polledOf(api, answer));
    },
    cancel: async (upstreamId, signal) => {
      const { body } = await readTask(upstreamId, signal);
      const word = textAt(body, "status");
      // DELETE on a finished task removes its result, so only a queued task is deleted.
      if (word !== "queued") return isStopped(word);
      const answer = await api.call({ method: "DELETE", path: pathOf(upstreamId) }, signal);
      return answer.status >= 200 && answer.status < 300;
    },
    image: (job, signal) => {
      const call = { path: IMAGES_PATH, json: imageRequest(job), timeoutMs: IMAGE_TIMEOUT_MS };
      return imageOnce(api, { method: "POST", ...call }, signal, {
        imagedOf: (answer) => imagedOf(api, answer),
        refusalOf,
      });
    },
    // Callbacks have no signature. The URL cannot be guessed, and a poll confirms the state.
    callback: async ({ body }) => textAt(callbackJson(body), "id"),
    check: (signal) => {
      const query = { page_num: 1, page_size: 1 };
      return checkOnce(api, { method: "GET", path: TASKS_PATH, query }, signal, refusalOf);
    },
  };
};

const isStopped = (word: string | undefined) => word === "cancelled" || word === "canceled";

function polledOf(api: Api, answer: Answer): Polled {
  const { status, body } = answer;
  // An empty 404 means an unknown path: a wrong base URL must not end tasks as gone.
  if (status === 404 && textAt(body, "error", "code") !== undefined) return { kind: "gone" };
  const word = textAt(body, "status");
  if (status !== 200 || word === undefined) throw new UpstreamError("a poll", answer);
  if (isStopped(word)) return { kind: "stopped" };
  switch (word) {
    case "succeeded": {
      const url = textAt(body, "content", "video_url");
      return url === undefined
        ? { kind: "failed", failure: UPSTREAM_FAILURES.failed }
        : { kind: "succeeded", sources: [sourceAt(api, url)] };
    }
    case "failed":
      return { kind: "failed", failure: failureOf(body) };
    case "expired":
      return { kind: "failed", failure: UPSTREAM_FAILURES.timedOut };
    default:
      return { kind: "running", pollAfterMs: POLL_MS };
  }
}

function imagedOf(api: Api, { body }: Answer): Imaged {
  const data = listAt(body, "data");
  const sources = data.flatMap((item): Source[] => {
    const url = textAt(item, "url");
    const inline = inlineSource(textAt(item, "b64_json") ?? "");
    if (url !== undefined) return [sourceAt(api, url)];
    return inline ? [inline] : [];
  });
  if (sources.length > 0) return { kind: "succeeded", sources };
  const refused = [body, ...data].find((part) => textAt(part, "error", "code") !== undefined);
  return { kind: "failed", failure: failureOf(refused) };
}
