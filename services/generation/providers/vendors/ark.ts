/** The provider for ByteDance's Ark (ModelArk): Seedance videos as tasks, Seedream images in one call. */
import { addMs } from "#runtime/clock.ts";
import type { KindName } from "#vocabulary/names.ts";
import type {
  CreateProvider,
  Failure,
  Found,
  Imaged,
  Job,
  LostSubmit,
  Polled,
  Source,
} from "../provider.ts";
import type { Answer } from "../shared/http.ts";
import { carried, ownSeed, promptOf, ratioOf, tierOf } from "../shared/input.ts";
import { callbackJson, inlineSource, listAt, numberAt, textAt } from "../shared/json.ts";
import {
  createVendorApi,
  failureBy,
  type Refusal,
  refusalBy,
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
  const api = createVendorApi({ baseUrl, clock, headers }, refusalOf);
  const pathOf = (id: string) => `${TASKS_PATH}/${encodeURIComponent(id)}`;

  return {
    carries: arkCarries,
    submit: (job, signal) => {
      const call = { method: "POST", path: TASKS_PATH, json: videoRequest(job) } as const;
      return api.submit(call, signal, ({ body }) => textAt(body, "id"));
    },
    find: (lost, signal) => findTask(api, TASKS_PATH, lost, signal),
    poll: (upstreamId, signal) =>
      api.poll(pathOf(upstreamId), signal, {
        // An empty 404 means an unknown path: a wrong base URL must not end tasks as gone.
        isGone: (body) => textAt(body, "error", "code") !== undefined,
        stateOf: (body) => stateOf(api, body),
      }),
    cancel: async (upstreamId, signal) => {
      const path = pathOf(upstreamId);
      const { body } = await api.call({ method: "GET", path }, signal);
      const word = textAt(body, "status");
      // DELETE on a finished task removes its result, so only a queued task is deleted.
      if (word !== "queued") return isStopped(word);
      const answer = await api.call({ method: "DELETE", path }, signal);
      return answer.status >= 200 && answer.status < 300;
    },
    image: (job, signal) => {
      const call = { path: IMAGES_PATH, json: imageRequest(job), timeoutMs: IMAGE_TIMEOUT_MS };
      return api.image({ method: "POST", ...call }, signal, (answer) => imagedOf(api, answer));
    },
    callback: ({ body }) => textAt(callbackJson(body), "id"),
    check: (signal) => {
      const query = { page_num: 1, page_size: 1 };
      return api.check({ path: TASKS_PATH, query }, signal);
    },
  };
};

const isStopped = (word: string | undefined) => word === "cancelled" || word === "canceled";

function stateOf(api: VendorApi, body: unknown): Polled | undefined {
  const word = textAt(body, "status");
  if (isStopped(word)) return { kind: "stopped" };
  switch (word) {
    case undefined:
      return undefined;
    case "succeeded": {
      const url = textAt(body, "content", "video_url");
      return url === undefined
        ? { kind: "failed", failure: UPSTREAM_FAILURES.failed }
        : { kind: "succeeded", sources: [api.sourceAt(url)] };
    }
    case "failed":
      return { kind: "failed", failure: failureOf(body) };
    case "expired":
      return { kind: "failed", failure: UPSTREAM_FAILURES.timedOut };
    default:
      return { kind: "running", pollAfterMs: POLL_MS };
  }
}

function imagedOf(api: VendorApi, { body }: Answer): Imaged {
  const data = listAt(body, "data");
  const sources = data.flatMap((item): Source[] => {
    const url = textAt(item, "url");
    const inline = inlineSource(textAt(item, "b64_json") ?? "");
    if (url !== undefined) return [api.sourceAt(url)];
    return inline ? [inline] : [];
  });
  if (sources.length > 0) return { kind: "succeeded", sources };
  const refused = [body, ...data].find((part) => textAt(part, "error", "code") !== undefined);
  return { kind: "failed", failure: failureOf(refused) };
}

// Builds Ark's requests: Seedance tasks and Seedream images.

const RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
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
    ratio: isFramed ? "adaptive" : ratioOf(job, RATIOS),
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

// Finds the Ark task of a submit whose answer was lost, by its time and its unique seed.

const PAGE_SIZE = 100;
const MAX_PAGES = 10;
/** A list may omit the seed; it is then read from each task. */
const MAX_SEED_READS = 20;
const EARLIER_MS = 60_000;
const LATER_MS = 10 * 60_000;

/** A list may lag behind: a task that it does not have may still appear. */
async function findTask(
  api: VendorApi,
  tasksPath: string,
  { job, sentAt }: LostSubmit,
  signal: AbortSignal,
): Promise<Found> {
  // A seed that a client chose does not identify one submit.
  const wanted = job.seed === undefined ? seedOf(job) : undefined;
  if (wanted === undefined) return { kind: "unknown" };
  const candidates = await tasksAround(api, tasksPath, sentAt, signal);
  const unread = candidates.filter((task) => numberAt(task, "seed") === undefined);
  if (unread.length > MAX_SEED_READS) return { kind: "unknown" };
  const found: string[] = [];
  for (const task of candidates) {
    const id = textAt(task, "id");
    if (id === undefined) continue;
    const seed = numberAt(task, "seed") ?? (await seedAt(api, `${tasksPath}/${id}`, signal));
    if (seed === wanted) found.push(id);
  }
  const [upstreamId, ...others] = found;
  return upstreamId !== undefined && others.length === 0
    ? { kind: "found", upstreamId }
    : { kind: "unknown" };
}

async function tasksAround(api: VendorApi, path: string, sentAt: Date, signal: AbortSignal) {
  const earliest = addMs(sentAt, -EARLIER_MS).getTime() / 1000;
  const latest = addMs(sentAt, LATER_MS).getTime() / 1000;
  const tasks: unknown[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = { page_num: page, page_size: PAGE_SIZE };
    const { body } = await api.call({ method: "GET", path, query }, signal);
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

async function seedAt(
  api: VendorApi,
  path: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  return numberAt((await api.call({ method: "GET", path }, signal)).body, "seed");
}

// Maps Ark's error codes, in answers and in failed tasks.

const RULES: readonly Rule[] = [
  { code: /^Output.*SensitiveContentDetected/, means: UPSTREAM_FAILURES.outputRejected },
  { code: /^InputText.*SensitiveContentDetected/, means: UPSTREAM_FAILURES.promptRejected },
  { code: /^InputImage.*SensitiveContentDetected/, means: UPSTREAM_FAILURES.pictureRejected },
  { code: /SensitiveContentDetected|RiskDetection/, means: UPSTREAM_FAILURES.contentRejected },
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
  { code: /^InvalidImageURL/, means: UPSTREAM_FAILURES.unreadablePicture },
  // The field that the code names is not made of the client's input, so the configuration must not send it, or must.
  {
    code: /^(Missing|Invalid)Parameter\S* (?!content|text|prompt|image|size|ratio|duration|seed)/,
    means: "config",
  },
  { code: /^(Missing|Invalid)Parameter/, means: UPSTREAM_FAILURES.invalidInput },
];

/** The meaning of an unsuccessful answer. */
function refusalOf(answer: Answer): Refusal {
  return refusalBy(RULES, answer, faultAt(answer.body));
}

/** Why a task or an image failed; `body` has the field `error`. */
function failureOf(body: unknown): Failure {
  return failureBy(RULES, faultAt(body));
}

/** The code is followed by the field at fault, if there is one. */
function faultAt(body: unknown) {
  const field = textAt(body, "error", "param");
  return {
    code: `${textAt(body, "error", "code") ?? ""}${field === undefined ? "" : ` ${field}`}`,
    message: textAt(body, "error", "message") ?? "",
  };
}
