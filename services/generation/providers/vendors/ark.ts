/** The provider for ByteDance's Ark (ModelArk): Seedance videos as tasks, Seedream images in one call. */
import { addMs } from "#runtime/clock.ts";
import type { KindName } from "#vocabulary/names.ts";
import type { CreateProvider, Job } from "../provider.ts";
import { carried, ownSeed, promptOf, tierOf } from "../shared/input.ts";
import { parsedJson, inlineSource, listAt, numberAt, textAt } from "../shared/json.ts";
import {
  createVendorApi,
  failureBy,
  type JobReader,
  type Rule,
  UPSTREAM_FAILURES,
  type VendorApi,
} from "../shared/outcome.ts";

const TASKS_PATH = "/contents/generations/tasks";
const IMAGES_PATH = "/images/generations";
const IMAGE_TIMEOUT_MS = 330_000;
const POLL_MS = 10_000;

/** `baseUrl`: with the version, e.g. "https://ark.ap-southeast.bytepluses.com/api/v3". */
export const arkProvider: CreateProvider = ({ baseUrl, key, clock }) => {
  const headers = { authorization: `Bearer ${key}` };
  const api = createVendorApi({ baseUrl, clock, headers }, { faultOf, refusals: RULES });
  const video: JobReader = {
    states: STATES,
    pollAfterMs: POLL_MS,
    sourcesOf: (body) => [api.sourceAt(textAt(body, "content", "video_url"))],
    failureOf,
  };
  const pathOf = (id: string) => `${TASKS_PATH}/${encodeURIComponent(id)}`;

  return {
    carries: arkCarries,
    submit: (job, signal) => api.submit({ path: TASKS_PATH, json: videoRequest(job) }, signal),
    find: (lost, signal) => findTask(api, lost, signal),
    poll: (upstreamId, signal) =>
      // An empty 404 means an unknown path: a wrong base URL must not end tasks as gone.
      api.poll(pathOf(upstreamId), signal, video, (body) => faultOf(body).code !== undefined),
    cancel: async (upstreamId, signal) => {
      const path = pathOf(upstreamId);
      const { body } = await api.call({ method: "GET", path }, signal);
      const word = textAt(body, "status") ?? "";
      // DELETE on a finished task removes its result, so only a queued task is deleted.
      if (word !== "queued") return STATES[word] === "stopped";
      const answer = await api.call({ method: "DELETE", path }, signal);
      return answer.status >= 200 && answer.status < 300;
    },
    image: (job, signal) => {
      const call = { path: IMAGES_PATH, json: imageRequest(job), timeoutMs: IMAGE_TIMEOUT_MS };
      return api.image(call, signal, {
        sourcesOf: (body) =>
          listAt(body, "data").map(
            (item) => api.sourceAt(textAt(item, "url")) ?? inlineSource(textAt(item, "b64_json")),
          ),
        failureOf: (body) =>
          failureOf([body, ...listAt(body, "data")].find((part) => faultOf(part).code)),
      });
    },
    callback: ({ body }) => textAt(parsedJson(body), "id"),
    check: (signal) =>
      api.check({ path: TASKS_PATH, query: { page_num: 1, page_size: 1 } }, signal),
  };
};

const STATES: JobReader["states"] = {
  succeeded: "made",
  failed: "failed",
  expired: UPSTREAM_FAILURES.timedOut,
  cancelled: "stopped",
  canceled: "stopped",
};

/** The minimum that Ark allows; every generation is past its deadline by then. */
const EXPIRES_AFTER_SECONDS = 3600;

/** The client's seed, else one by which `find` recognizes the task. Undefined if the model takes none. */
function seedOf({ seed, parameters, token }: Job): number | undefined {
  return parameters["seed"] === null ? undefined : (seed ?? ownSeed(token));
}

/**
 * Sound and formats are carried to models whose configured parameters have them, because others refuse these names.
 * What is configured of the resolution or the seed is what is sent.
 */
function arkCarries(kind: KindName, parameters: Job["parameters"]) {
  const { image_role: role = "first_frame" } = parameters;
  return kind === "video"
    ? carried({
        seed: parameters["seed"] !== null,
        resolution: !("resolution" in parameters) && { values: ["480P", "720P", "1080P", "4K"] },
        audio: "generate_audio" in parameters,
        last_image_url: role === "first_frame",
        reference_images: { values: ["subject"] },
        video_url: true,
      })
    : carried({
        seed: parameters["seed"] !== null,
        output_format: "output_format" in parameters && { values: ["png", "jpeg"] },
      });
}

/** The parameter `image_role` is the role of pictures (default "first_frame"); all but it and `seed` are sent unchanged. */
function videoRequest(job: Job): object {
  const { image_role: role = "first_frame", ...wire } = job.parameters;
  const { lastImageUrl: last, references = [], videoUrl } = job;
  const picture = (url: string, of: unknown) => ({
    type: "image_url",
    image_url: { url },
    role: of,
  });
  const isFramed = job.imageUrls.length > 0 && role === "first_frame";
  return {
    model: job.model,
    content: [
      { type: "text", text: promptOf(job) },
      ...job.imageUrls.map((url) => picture(url, role)),
      ...(last === undefined ? [] : [picture(last, "last_frame")]),
      ...references.map(({ url }) => picture(url, "reference_image")),
      ...(videoUrl === undefined
        ? []
        : [{ type: "video_url", video_url: { url: videoUrl }, role: "reference_video" }]),
    ],
    resolution: tierOf(job),
    // Newer models refuse a fixed ratio together with a first frame.
    ratio: isFramed ? "adaptive" : job.aspectRatio,
    duration: job.durationSeconds,
    watermark: false,
    execution_expires_after: EXPIRES_AFTER_SECONDS,
    ...wire,
    ...(job.audio === undefined ? {} : { generate_audio: job.audio }),
    seed: seedOf(job),
    safety_identifier: job.endUser,
    callback_url: job.callbackUrl,
  };
}

function imageRequest(job: Job): object {
  const [only, ...others] = job.imageUrls;
  return {
    model: job.model,
    prompt: promptOf(job),
    image: others.length > 0 ? job.imageUrls : only,
    size: `${job.width}x${job.height}`,
    response_format: "url",
    watermark: false,
    ...job.parameters,
    ...(job.outputFormat === undefined ? {} : { output_format: job.outputFormat }),
    seed: job.seed === undefined ? undefined : seedOf(job),
  };
}

const PAGE_SIZE = 100;
const MAX_PAGES = 10;
const EARLIER_MS = 60_000;
const LATER_MS = 10 * 60_000;

/** The task is known by its time and its unique seed. A list may lag behind: one that it does not have may still appear. */
async function findTask(
  api: VendorApi,
  job: Job,
  signal: AbortSignal,
): Promise<string | undefined> {
  // A seed that a client chose does not identify one submit.
  const wanted = job.seed === undefined ? seedOf(job) : undefined;
  if (wanted === undefined) return undefined;
  const tasks = await tasksAround(api, job.submittedAt, signal);
  const [upstreamId, ...others] = tasks
    .filter((task) => numberAt(task, "seed") === wanted)
    .flatMap((task) => textAt(task, "id") ?? []);
  return others.length === 0 ? upstreamId : undefined;
}

async function tasksAround(api: VendorApi, sentAt: Date, signal: AbortSignal) {
  const earliest = addMs(sentAt, -EARLIER_MS).getTime() / 1000;
  const latest = addMs(sentAt, LATER_MS).getTime() / 1000;
  const tasks: unknown[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = { page_num: page, page_size: PAGE_SIZE };
    const { body } = await api.call({ method: "GET", path: TASKS_PATH, query }, signal);
    const items = listAt(body, "items");
    tasks.push(...items);
    const isEnough = items.every((item) => (numberAt(item, "created_at") ?? 0) < earliest);
    if (items.length < PAGE_SIZE || isEnough) break;
  }
  return tasks.filter((task) => {
    const createdAt = numberAt(task, "created_at") ?? 0;
    return createdAt >= earliest && createdAt <= latest;
  });
}

const RULES: readonly Rule[] = [
  { code: /^Output.*SensitiveContentDetected/, means: "outputRejected" },
  { code: /^InputText.*SensitiveContentDetected/, means: "promptRejected" },
  { code: /^InputImage.*SensitiveContentDetected/, means: "pictureRejected" },
  { code: /SensitiveContentDetected|RiskDetection/, means: "contentRejected" },
  { code: /^AuthenticationError/, means: "auth" },
  { code: /^(AccountOverdueError|OperationDenied\.ServiceOverdue)/, means: "billing" },
  { code: /^SetLimitExceeded/, means: "billing" },
  { code: /^QuotaExceeded/, message: /free trial/i, means: "billing" },
  { code: /^(AccessDenied|OperationDenied)/, means: "config" },
  { code: /^(ModelNotOpen|InvalidEndpointOrModel|UnsupportedModel)/, means: "config" },
  { code: /^InvalidEndpoint\.ClosedEndpoint/, means: "unavailable" },
  { code: /RateLimitExceeded/, means: "rate_limited" },
  {
    code: /^(RequestBurstTooFast|ServerOverloaded|InflightBatchsizeExceeded|QuotaExceeded)/,
    means: "rate_limited",
  },
  { code: /^InvalidImageURL/, means: "unreadablePicture" },
  // The field that the code names is not made of the client's input, so the configuration must not send it, or must.
  {
    code: /^(Missing|Invalid)Parameter/,
    field: /^(?!content|text|prompt|image|size|ratio|duration|seed)./,
    means: "config",
  },
  { code: /^(Missing|Invalid)Parameter/, means: "invalidInput" },
];

const failureOf = (body: unknown) => failureBy(RULES, faultOf(body));

function faultOf(body: unknown) {
  return {
    code: textAt(body, "error", "code"),
    field: textAt(body, "error", "param"),
    message: textAt(body, "error", "message"),
  };
}
