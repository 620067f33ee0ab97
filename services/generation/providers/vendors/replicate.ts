/** The provider for Replicate, where both videos and images are predictions. */
import { addMs } from "#runtime/clock.ts";
import type { CreateProvider, Failure, Job } from "../provider.ts";
import { modelInput, namedFields, objectAt, ownSeed } from "../shared/input.ts";
import { at, parsedJson, inlineSource, listAt, textAt } from "../shared/json.ts";
import {
  createVendorApi,
  failureBy,
  type JobReader,
  type Post,
  type Rule,
  UPSTREAM_FAILURES,
  UpstreamError,
  type VendorApi,
} from "../shared/outcome.ts";

export const replicateProvider: CreateProvider = ({ baseUrl, key, clock }) => {
  const headers = { authorization: `Bearer ${key}` };
  const api = createVendorApi({ baseUrl, clock, headers }, { faultOf, refusals: REFUSALS });
  const sourceOf = (url: string) => {
    const inline = url.startsWith("data:") ? inlineSource(url) : undefined;
    return inline ?? api.sourceAt(url, headers);
  };
  const prediction: JobReader = {
    states: STATES,
    pollAfterMs: POLL_AFTER_MS,
    sourcesOf: (body) => outputUrls(at(body, "output")).map(sourceOf),
    failureOf: predictionFailure,
  };

  return {
    carries: (kind, parameters) => namedFields(kind, parameters, NAMES[kind]),
    submit: (job, signal) => api.submit(createCall(job), signal),
    find: (job, signal) => findPrediction(api, job, signal),
    poll: (upstreamId, signal) =>
      api.poll(
        pathOf(upstreamId),
        signal,
        prediction,
        (body) => faultOf(body).message !== undefined,
      ),
    cancel: (upstreamId, signal) => api.cancel(`${pathOf(upstreamId)}/cancel`, signal, prediction),
    callback: ({ body }) => textAt(parsedJson(body), "id"),
    check: (signal) => api.check({ path: "/account" }, signal),
  };
};

function pathOf(upstreamId: string): string {
  return `/predictions/${encodeURIComponent(upstreamId)}`;
}

const COMMON_NAMES = {
  prompt: "prompt",
  negative_prompt: "negative_prompt",
  aspect_ratio: "aspect_ratio",
};
const NAMES = {
  video: { ...COMMON_NAMES, image: "image", duration: "duration" },
  image: { ...COMMON_NAMES, images: "image_input" },
};

/** Official models are called by name; others by `parameters.version` of the upstream. */
function createCall(job: Job): Post {
  const version = job.parameters["version"];
  const isByVersion = typeof version === "string";
  return {
    path: isByVersion ? "/predictions" : `/models/${job.model}/predictions`,
    json: {
      version: isByVersion ? version : undefined,
      input: modelInput({ ...job, ...derivedSeed(job) }, NAMES[job.kind]),
      webhook: job.callbackUrl,
      webhook_events_filter: job.callbackUrl && ["completed"],
    },
  };
}

/** Derives a seed for this submit, if the client gave none and `parameters.names` has the model's input for it. */
function derivedSeed(job: Job): { seed?: number } {
  if (job.seed !== undefined || seedNameOf(job) === undefined) return {};
  return { seed: ownSeed(job.token) };
}

function seedNameOf(job: Job): string | undefined {
  const name = objectAt(job.parameters, "names")["seed"];
  return typeof name === "string" ? name : undefined;
}

const POLL_AFTER_MS = 2_000;
/** These outputs take precedence, because some models also return pictures of their videos. */
const OUTPUT_NAMES = ["video", "videos", "image", "images"];

const STATES: JobReader["states"] = {
  succeeded: "made",
  failed: "failed",
  canceled: "stopped",
  aborted: "stopped",
};

/**
 * Returns the URLs of the output, which is a URL, a list of them, or an object of either. Of an object the first property
 * with any counts; others are extras, e.g. the last frame.
 */
function outputUrls(output: unknown): string[] {
  if (typeof output === "string") return /^(https?:|data:)/.test(output) ? [output] : [];
  if (Array.isArray(output)) return output.flatMap(outputUrls);
  if (typeof output !== "object" || output === null) return [];
  const named = OUTPUT_NAMES.map((name) => at(output, name));
  // Each once: the work would double with each level.
  const urls = [...new Set([...named, ...Object.values(output)])].map(outputUrls);
  return urls.find(({ length }) => length > 0) ?? [];
}

const MAX_PAGES = 10;
/** The allowed difference between Replicate's clock and this one. */
const SKEW_MS = 60_000;

/** Replicate does not promise that the list is complete: a prediction that it does not have may exist. */
async function findPrediction(
  api: VendorApi,
  job: Job,
  signal: AbortSignal,
): Promise<string | undefined> {
  const earliest = addMs(job.submittedAt, -SKEW_MS);
  let path = "/predictions";
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await api.call({ method: "GET", path }, signal);
    if (answer.status !== 200) throw new UpstreamError("a list", answer);
    const listed = listAt(answer.body, "results");
    const [id] = listed.filter((one) => isOf(one, job)).flatMap((one) => textAt(one, "id") ?? []);
    if (id !== undefined) return id;
    const next = textAt(answer.body, "next");
    const oldest = new Date(textAt(listed.at(-1), "created_at") ?? 0);
    if (next === undefined || oldest < earliest) break;
    path = next;
  }
  return undefined;
}

/** What identifies a create: its callback URL, or the seed that was derived for it. */
function isOf(prediction: unknown, job: Job): boolean {
  if (job.callbackUrl !== undefined && at(prediction, "webhook") === job.callbackUrl) return true;
  const { seed } = derivedSeed(job);
  return seed !== undefined && at(prediction, "input", seedNameOf(job) ?? "") === seed;
}

// Errors are free text, in which only codes and a few words are stable.
const CONTENT: Rule = {
  message: /\(E005\)|nsfw|flagged as sensitive|content (policy|moderation)/i,
  means: "contentRejected",
};
const FAILURES: readonly Rule[] = [
  CONTENT,
  { message: /\(code: PA\)|\(E003\)|high demand|interrupted/i, means: "failed" },
  {
    message:
      /(download|fetch|load|open|identify|decode)\w{0,9} (the |an? |input )*(image|file|url)/i,
    means: "unreadablePicture",
  },
  {
    message:
      /validation|invalid (input|value|prompt|image)|must be (one of|between|less|greater|at)/i,
    means: "invalidInput",
  },
];

const STATUS = [400, 422];
const REFUSALS: readonly Rule[] = [
  { ...CONTENT, status: STATUS },
  // Replicate reports a withdrawn version, and an input that the model does not have, as invalid input. An input that a
  // client may leave out is not counted: one client's choice would suspend the upstream for all.
  { status: STATUS, code: /version/i, means: "config" },
  {
    status: STATUS,
    message: /^invalid version|additional property (?!seed|negative_prompt)/i,
    means: "config",
  },
];

function predictionFailure(prediction: unknown): Failure {
  const isMade = textAt(prediction, "status") === "succeeded";
  if (isMade && at(prediction, "data_removed") === true) return UPSTREAM_FAILURES.resultGone;
  return failureBy(FAILURES, { message: textAt(prediction, "error") });
}

const RESETS_IN = /resets in ~?(\d+)\s?s/i;

function faultOf(body: unknown) {
  const message = textAt(body, "detail");
  const retryAfterMs = Number(RESETS_IN.exec(message ?? "")?.[1]) * 1000;
  return { code: textAt(body, "title"), message, retryAfterMs };
}
