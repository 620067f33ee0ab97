/** The adapter to Alibaba's DashScope (Model Studio): Wan videos as tasks, Qwen and Wan images in one call. */
import type { Adapter } from "../shared/adapter.ts";
import { withRetryAfter } from "../shared/asked-wait.ts";
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { createApi, type Answer, type Api } from "../shared/http.ts";
import { inlineSource } from "../shared/inline.ts";
import { listAt, textAt } from "../shared/json.ts";
import {
  checkOnce,
  imageOnce,
  refused,
  sourceAt,
  submitOnce,
  UpstreamError,
} from "../shared/outcome.ts";
import type { Imaged, Polled, Source } from "../provider.ts";
import { failureOf, refusalOf } from "./refusals.ts";
import { dashscopeCarries, dialectOf, imageRequest, videoRequest } from "./requests.ts";

const VIDEO_PATH = "/api/v1/services/aigc/video-generation/video-synthesis";
const IMAGE_PATH = "/api/v1/services/aigc/multimodal-generation/generation";
const TASKS_PATH = "/api/v1/tasks";
/** The upstream ends a call after 300 s; the margin lets its answer arrive. */
const IMAGE_TIMEOUT_MS = 330_000;
/** A queued task takes a minute or longer; an account may poll 20 times a second. */
const QUEUED_POLL_MS = 15_000;
const RUNNING_POLL_MS = 10_000;

/** `baseUrl`: the workspace's host, e.g. "https://{WorkspaceId}.ap-southeast-1.maas.aliyuncs.com". */
export const dashscopeProvider: Adapter = ({ baseUrl, key, clock }) => {
  const api = createApi({ baseUrl, clock, headers: { authorization: `Bearer ${key}` } });
  const taskPath = (id: string) => `${TASKS_PATH}/${encodeURIComponent(id)}`;

  const pollTask = async (upstreamId: string, signal: AbortSignal): Promise<Polled> => {
    const answer = await api.call({ method: "GET", path: taskPath(upstreamId) }, signal);
    return withRetryAfter(answer, polledOf(api, answer));
  };

  return {
    carries: dashscopeCarries,
    submit: async (job, signal) => {
      const dialect = dialectOf(job);
      if (!dialect) {
        const detail = "the parameter `dialect` of the upstream must be A, B or C";
        return { kind: "closed", fault: "config", detail };
      }
      const headers = { "x-dashscope-async": "enable" };
      const json = videoRequest(job, dialect);
      if (!json) return refused(UPSTREAM_FAILURES.negativePromptTooLong);
      return submitOnce(api, { method: "POST", path: VIDEO_PATH, headers, json }, signal, {
        idOf: ({ body }) => textAt(body, "output", "task_id"),
        refusalOf,
      });
    },
    // Listed tasks contain nothing that identifies a submit: nothing until they end, then only the prompt.
    find: async () => ({ kind: "unknown" }),
    poll: pollTask,
    cancel: async (upstreamId, signal) => {
      await api.call({ method: "POST", path: `${taskPath(upstreamId)}/cancel` }, signal);
      // The answer to a refused cancel is not documented, so the task is polled.
      return (await pollTask(upstreamId, signal)).kind === "stopped";
    },
    image: async (job, signal) => {
      const json = imageRequest(job);
      if (!json) return { kind: "failed", failure: UPSTREAM_FAILURES.negativePromptTooLong };
      const call = { path: IMAGE_PATH, json, timeoutMs: IMAGE_TIMEOUT_MS };
      return imageOnce(api, { method: "POST", ...call }, signal, {
        imagedOf: (answer) => imagedOf(api, answer),
        refusalOf,
      });
    },
    check: (signal) => {
      const query = { page_no: 1, page_size: 1 };
      return checkOnce(api, { method: "GET", path: TASKS_PATH, query }, signal, refusalOf);
    },
  };
};

function polledOf(api: Api, answer: Answer): Polled {
  const { status, body } = answer;
  const word = textAt(body, "output", "task_status");
  if (status !== 200 || word === undefined) throw new UpstreamError("a poll", answer);
  switch (word) {
    case "SUCCEEDED": {
      const url = textAt(body, "output", "video_url");
      return url === undefined
        ? { kind: "failed", failure: UPSTREAM_FAILURES.failed }
        : { kind: "succeeded", sources: [sourceAt(api, url)] };
    }
    case "FAILED":
      return { kind: "failed", failure: failureOf((body as { output: unknown }).output) };
    case "CANCELED":
    case "CANCELLED":
      return { kind: "stopped" };
    case "UNKNOWN":
      return { kind: "gone" };
    case "RUNNING":
      return { kind: "running", pollAfterMs: RUNNING_POLL_MS };
    default:
      return { kind: "running", pollAfterMs: QUEUED_POLL_MS };
  }
}

function imagedOf(api: Api, { body }: Answer): Imaged {
  const sources = listAt(body, "output", "choices")
    .flatMap((choice) => listAt(choice, "message", "content"))
    .flatMap((part) => textAt(part, "image") ?? [])
    .flatMap((image) => pictureAt(api, image) ?? []);
  return sources.length > 0
    ? { kind: "succeeded", sources }
    : { kind: "failed", failure: failureOf(body) };
}

/** Some models answer with a URL, others with base64. */
function pictureAt(api: Api, image: string): Source | undefined {
  return /^https?:/.test(image) ? sourceAt(api, image) : inlineSource(image);
}
