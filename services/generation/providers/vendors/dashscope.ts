/** The provider for Alibaba's DashScope (Model Studio): Wan videos as tasks, Qwen and Wan images in one call. */
import type { KindName } from "#vocabulary/names.ts";
import type { CreateProvider, Job } from "../provider.ts";
import { carried, fitPrompts, tierOf } from "../shared/input.ts";
import { at, inlineSource, listAt, textAt } from "../shared/json.ts";
import {
  createVendorApi,
  failed,
  failureBy,
  type JobReader,
  type Rule,
  UPSTREAM_FAILURES,
} from "../shared/outcome.ts";

const VIDEO_PATH = "/api/v1/services/aigc/video-generation/video-synthesis";
const IMAGE_PATH = "/api/v1/services/aigc/multimodal-generation/generation";
const TASKS_PATH = "/api/v1/tasks";
/** The upstream ends a call after 300 s; the margin lets its answer arrive. */
const IMAGE_TIMEOUT_MS = 330_000;
/** An account may poll 20 times a second. */
const POLL_MS = 10_000;

/** `baseUrl`: the workspace's host, e.g. "https://{WorkspaceId}.ap-southeast-1.maas.aliyuncs.com". */
export const dashscopeProvider: CreateProvider = ({ baseUrl, key, clock }) => {
  const headers = { authorization: `Bearer ${key}` };
  const api = createVendorApi({ baseUrl, clock, headers }, { faultOf, refusals: RULES });
  const video: JobReader = {
    statusOf: (body) => textAt(body, "output", "task_status"),
    states: STATES,
    pollAfterMs: POLL_MS,
    sourcesOf: (body) => [api.sourceAt(textAt(body, "output", "video_url"))],
    failureOf: (body) => failureOf(at(body, "output")),
  };
  const taskPath = (id: string) => `${TASKS_PATH}/${encodeURIComponent(id)}`;
  const pollTask = (upstreamId: string, signal: AbortSignal) =>
    api.poll(taskPath(upstreamId), signal, video);

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
      if (!json) return { kind: "refused", failure: UPSTREAM_FAILURES.negativePromptTooLong };
      const call = { path: VIDEO_PATH, headers, json };
      return api.submit(call, signal, (body) => textAt(body, "output", "task_id"));
    },
    poll: pollTask,
    cancel: async (upstreamId, signal) => {
      await api.call({ method: "POST", path: `${taskPath(upstreamId)}/cancel` }, signal);
      // The answer to a refused cancel is not documented, so the task is polled.
      return (await pollTask(upstreamId, signal)).kind === "stopped";
    },
    image: async (job, signal) => {
      const json = imageRequest(job);
      if (!json) return failed(UPSTREAM_FAILURES.negativePromptTooLong);
      const call = { path: IMAGE_PATH, json, timeoutMs: IMAGE_TIMEOUT_MS };
      return api.image(call, signal, {
        // Some models answer with a URL, others with base64.
        sourcesOf: (body) =>
          listAt(body, "output", "choices")
            .flatMap((choice) => listAt(choice, "message", "content"))
            .map((part) => textAt(part, "image"))
            .map((one = "") => (/^https?:/.test(one) ? api.sourceAt(one) : inlineSource(one))),
        failureOf,
      });
    },
    check: (signal) => api.check({ path: TASKS_PATH, query: { page_no: 1, page_size: 1 } }, signal),
  };
};

const STATES: JobReader["states"] = {
  SUCCEEDED: "made",
  FAILED: "failed",
  CANCELED: "stopped",
  CANCELLED: "stopped",
  UNKNOWN: "gone",
};

/** The parameter `dialect`: A for wan2.1 to 2.6, B for wan2.7, C for wan3.0. */
type Dialect = "A" | "B" | "C";

/** In characters; DashScope cuts longer texts. The least of the models of a dialect; C has no negative prompt. */
const MAX_LENGTHS = {
  A: { prompt: 800, negativePrompt: 500 },
  B: { prompt: 5_000, negativePrompt: 500 },
  C: { prompt: 20_000, negativePrompt: 0 },
  image: { prompt: 800, negativePrompt: 500 },
};

/**
 * Sound is carried to models whose configured parameters have it, because others refuse the name. What is configured of
 * the resolution or the seed is what is sent.
 */
function dashscopeCarries(kind: KindName, parameters: Job["parameters"]) {
  if (kind === "image") {
    return carried({
      prompt_extend: !("prompt_extend" in parameters),
      seed: !("seed" in parameters),
      n: !("n" in parameters) && { max: 4 },
      // All models answer with PNG files.
      output_format: { values: ["png"] },
    });
  }
  const { image_role: role = "first_frame" } = parameters;
  const dialect = dialectOf({ parameters });
  const resolutions = dialect === "B" ? ["720P", "1080P"] : ["480P", "720P", "1080P"];
  const isFixed = "resolution" in parameters || "size" in parameters;
  return carried({
    seed: !("seed" in parameters),
    resolution: !isFixed && { values: resolutions },
    audio: "audio" in parameters,
    last_image_url: dialect !== "A" && role === "first_frame",
    reference_images: dialect !== "A" && { values: ["subject"] },
    video_url: dialect !== "A",
  });
}

function dialectOf(job: Pick<Job, "parameters">): Dialect | undefined {
  const { dialect } = job.parameters;
  return dialect === "A" || dialect === "B" || dialect === "C" ? dialect : undefined;
}

/**
 * The parameter `image_role` is the role of pictures (default "first_frame"); the others are sent unchanged. Undefined
 * if the negative prompt is too long.
 */
function videoRequest(job: Job, dialect: Dialect): object | undefined {
  const { dialect: _, image_role: role = "first_frame", ...wire } = job.parameters;
  const prompts = fitPrompts(job, MAX_LENGTHS[dialect]);
  return (
    prompts && {
      model: job.model,
      input: {
        prompt: prompts.prompt,
        negative_prompt: prompts.negativePrompt,
        ...pictures(job, dialect, role),
      },
      parameters: {
        ...frame(job, dialect, role),
        duration: job.durationSeconds,
        prompt_extend: job.promptExtend ?? true,
        watermark: false,
        seed: job.seed,
        ...wire,
        ...(job.audio === undefined ? {} : { audio: job.audio }),
      },
    }
  );
}

/** `n` is always sent, because some models make four by default. Undefined if the negative prompt is too long. */
function imageRequest(job: Job): object | undefined {
  const prompts = fitPrompts(job, MAX_LENGTHS.image);
  return (
    prompts && {
      model: job.model,
      input: {
        messages: [
          {
            role: "user",
            content: [{ text: prompts.prompt }, ...job.imageUrls.map((image) => ({ image }))],
          },
        ],
      },
      parameters: {
        n: job.count ?? 1,
        size: `${job.width}*${job.height}`,
        negative_prompt: prompts.negativePrompt,
        prompt_extend: job.promptExtend ?? true,
        watermark: false,
        seed: job.seed,
        ...job.parameters,
      },
    }
  );
}

function pictures(job: Job, dialect: Dialect, role: unknown): object {
  const { imageUrls, lastImageUrl, references = [], videoUrl } = job;
  if (dialect === "A") return imageUrls.length === 0 ? {} : { img_url: imageUrls[0] };
  const media = [
    ...imageUrls.map((url) => ({ type: role, url })),
    ...(lastImageUrl === undefined ? [] : [{ type: "last_frame", url: lastImageUrl }]),
    ...references.map(({ url }) => ({ type: "reference_image", url })),
    ...(videoUrl === undefined ? [] : [{ type: "first_clip", url: videoUrl }]),
  ];
  return media.length === 0 ? {} : { media };
}

/** A first frame or clip determines the ratio, but not in C; `size` and `resolution` exclude each other. */
function frame(job: Job, dialect: Dialect, role: unknown): object {
  const isFirstFrame = dialect === "A" || (dialect === "B" && role === "first_frame");
  const isFramed =
    (job.imageUrls.length > 0 && isFirstFrame) || (dialect === "B" && job.videoUrl !== undefined);
  const resolution = tierOf(job).toUpperCase();
  if (isFramed) return { resolution };
  if (dialect === "A") return { size: `${job.width}*${job.height}` };
  return { resolution, ratio: job.aspectRatio };
}

const RULES: readonly Rule[] = [
  { code: /^DataInspectionFailed/, means: "contentRejected" },
  { code: /^IPInfringementSuspect/, means: "contentRejected" },
  { code: /^InvalidApiKey/, means: "auth" },
  { code: /^(Arrearage|PrepaidBillOverdue|PostpaidBillOverdue)/, means: "billing" },
  { code: /^(CommodityNotPurchased|AccessDenied\.Unpurchased)/, means: "billing" },
  { code: /^AllocationQuota\.FreeTierOnly/, means: "billing" },
  { code: /^Throttling\.AllocationQuota/, message: /free/i, means: "billing" },
  { code: /^Throttling/, means: "rate_limited" },
  { code: /^(Model\.|Workspace\.)?AccessDenied/, means: "config" },
  { code: /^(ModelNotFound|Model\.)/, means: "config" },
  // DashScope reports a wrong path for a model with the code of invalid input.
  { code: /^InvalidParameter/, message: /url error/i, means: "config" },
  { code: /^InvalidParameter\.DataInspection/, means: "unreadablePicture" },
  { code: /^Invalid(Image|File)\..*(Resolution|Ratio|Size|Dimension)/, means: "unsuitablePicture" },
  { code: /^Invalid(URL|Image|File)/, means: "unreadablePicture" },
  { code: /^(InvalidParameter|BadRequest)/, means: "invalidInput" },
  // "Model is unavailable, please try again later": the model takes no requests (Model Studio, error messages: 503).
  { status: [400, 429, 500, 503], code: /^ModelUnavailable$/, means: "unavailable" },
  { code: /^(InternalError\.Timeout|RequestTimeOut)/, means: "timedOut" },
];

/** Why nothing was made; an answer or the output of a task has the code. */
const failureOf = (body: unknown) => failureBy(RULES, faultOf(body));

function faultOf(body: unknown) {
  return { code: textAt(body, "code"), message: textAt(body, "message") };
}
