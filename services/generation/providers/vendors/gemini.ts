/** The provider for the Gemini API: Omni's videos are background interactions, images are made within one call. */
import type { CreateProvider, Failure, Job, Source } from "../provider.ts";
import { objectAt, promptOf, ratioOf, tierOf } from "../shared/input.ts";
import { at, inlineSource, listAt, numberAt, textAt } from "../shared/json.ts";
import {
  createVendorApi,
  failureBy,
  type JobReader,
  type Rule,
  UPSTREAM_FAILURES,
} from "../shared/outcome.ts";

const IMAGE_TIMEOUT_MS = 280_000;

/** The model answered without a picture; the call is repeated once. */
const NOTHING_DRAWN: Failure = { ...UPSTREAM_FAILURES.failed };

export const geminiProvider: CreateProvider = ({ baseUrl, key, clock }) => {
  const headers = { "x-goog-api-key": key };
  const vendor = { faultOf: (body: unknown) => faultOf(errorOf(body)), refusals: REFUSALS };
  const api = createVendorApi({ baseUrl, clock, headers }, vendor);
  const video: JobReader = {
    states: INTERACTION_STATES,
    pollAfterMs: POLL_AFTER_MS,
    sourcesOf: (body) => {
      const made = videoOf(body);
      return [api.sourceAt(textAt(made, "uri"), headers) ?? inlineSource(textAt(made, "data"))];
    },
    failureOf: interactionFailure,
  };

  return {
    takesBytes: true,
    submit: (job, signal) =>
      api.submit({ path: "/interactions", json: interactionRequest(job) }, signal, interactionId),
    cancel: (upstreamId, signal) => api.cancel(`/interactions/${upstreamId}/cancel`, signal, video),
    poll: (upstreamId, signal) =>
      api.poll(`/interactions/${upstreamId}`, signal, video, isNotFound),
    image: async (job, signal) => {
      const call = {
        path: `/models/${job.model}:generateContent`,
        json: imageRequest(job),
        timeoutMs: IMAGE_TIMEOUT_MS,
      };
      const drawn = { sourcesOf: (body: unknown) => [pictureOf(body)], failureOf: whyNotDrawn };
      const imaged = await api.image(call, signal, drawn);
      const isEmpty = imaged.kind === "failed" && imaged.failure === NOTHING_DRAWN;
      return isEmpty ? api.image(call, signal, drawn) : imaged;
    },
    check: (signal) => api.check({ path: "/models", query: { pageSize: 1 } }, signal),
  };
};

/** Google itself reports the interaction as unknown; a proxy's 404 says nothing about it. */
function isNotFound(body: unknown): boolean {
  return [textAt(body, "error", "status"), textAt(body, "error", "code")].some((word) =>
    /^not_found$/i.test(word ?? ""),
  );
}

const POLL_AFTER_MS = 10_000;
/** It is checked because the id becomes part of a URL. */
const ID = /^[\w.-]+$/;

const INTERACTION_STATES: JobReader["states"] = {
  completed: "made",
  failed: "failed",
  cancelled: "stopped",
  // Nobody answers what it asks for: no tool is offered, and a background interaction continues by itself.
  requires_action: "failed",
  requires_continuation: "failed",
  incomplete: "failed",
  budget_exceeded: "failed",
};

/** The body of a create; `response_format` and `interaction` of the upstream's parameters are added to it. */
function interactionRequest(job: Job): object {
  const pictures = (job.pictures ?? []).map(({ content, contentType }) => ({
    type: "image",
    mime_type: contentType,
    data: Buffer.from(content).toString("base64"),
  }));
  const tier = tierOf(job);
  return {
    model: job.model,
    input: [{ type: "text", text: promptOf(job) }, ...pictures],
    background: true,
    store: true,
    response_format: {
      type: "video",
      aspect_ratio: job.aspectRatio,
      duration: job.durationSeconds === undefined ? undefined : `${job.durationSeconds}s`,
      // The vendor knows no 480p.
      resolution: tier === "480p" ? "720p" : tier,
      delivery: "uri",
      ...objectAt(job.parameters, "response_format"),
    },
    generation_config: job.seed === undefined ? undefined : { seed: job.seed },
    ...objectAt(job.parameters, "interaction"),
  };
}

/** Returns the interaction's id; undefined if it is absent or not safe in a URL. */
function interactionId(body: unknown): string | undefined {
  const id = textAt(body, "id");
  return id !== undefined && ID.test(id) ? id : undefined;
}

/** The last video of the model's steps. */
function videoOf(body: unknown): unknown {
  return outputSteps(body)
    .flatMap((step) => listAt(step, "content"))
    .findLast((content) => textAt(content, "type") === "video");
}

function interactionFailure(body: unknown): Failure {
  const errors = [...listAt(body, "errors"), ...outputSteps(body).map((step) => at(step, "error"))];
  return failureBy(FAILURES, faultOf(errors.find((one) => one !== undefined && one !== null)));
}

function outputSteps(body: unknown): unknown[] {
  return listAt(body, "steps").filter((step) => textAt(step, "type") === "model_output");
}

const BLOCKED = new Set([
  "SAFETY",
  "IMAGE_SAFETY",
  "PROHIBITED_CONTENT",
  "IMAGE_PROHIBITED_CONTENT",
  "BLOCKLIST",
  "SPII",
  "RECITATION",
  "IMAGE_RECITATION",
]);
const NOTHING = new Set(["NO_IMAGE", "IMAGE_OTHER", "OTHER"]);
const RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9", "21:9"];
/** Above these, the next tier is nearer. */
const MAX_PIXELS_1K = 1_500_000;
const MAX_PIXELS_2K = 6_000_000;

/** The body of `generateContent`; `parameters.generationConfig` of the upstream is added to it. */
function imageRequest(job: Job): object {
  const inline = (job.pictures ?? []).map(({ content, contentType }) => ({
    inlineData: { mimeType: contentType, data: Buffer.from(content).toString("base64") },
  }));
  const { imageConfig, ...configured } = objectAt(job.parameters, "generationConfig");
  return {
    contents: [{ role: "user", parts: [{ text: promptOf(job) }, ...inline] }],
    generationConfig: {
      responseModalities: ["IMAGE"],
      imageConfig: {
        aspectRatio: ratioOf(job, RATIOS),
        imageSize: imageTierOf(job),
        ...objectAt({ imageConfig }, "imageConfig"),
      },
      ...configured,
    },
  };
}

function pictureOf(body: unknown): Source | undefined {
  if (isBlocked(body)) return undefined;
  const parts = listAt(body, "candidates", 0, "content", "parts");
  const pictures = parts.filter((part) => at(part, "inlineData"));
  // Thoughts are drafts.
  const last = pictures.findLast((part) => at(part, "thought") !== true) ?? pictures.at(-1);
  return inlineSource(textAt(last, "inlineData", "data"));
}

function whyNotDrawn(body: unknown): Failure {
  if (isBlocked(body)) return UPSTREAM_FAILURES.contentRejected;
  return NOTHING.has(finishReason(body)) ? NOTHING_DRAWN : UPSTREAM_FAILURES.failed;
}

const finishReason = (body: unknown) => textAt(body, "candidates", 0, "finishReason") ?? "";

function isBlocked(body: unknown): boolean {
  return (
    textAt(body, "promptFeedback", "blockReason") !== undefined || BLOCKED.has(finishReason(body))
  );
}

function imageTierOf({ width, height }: Job): "1K" | "2K" | "4K" {
  const pixels = width * height;
  if (pixels <= MAX_PIXELS_1K) return "1K";
  return pixels <= MAX_PIXELS_2K ? "2K" : "4K";
}

/** The client's fault, as answers, with a code of google.rpc, and interactions name it. */
const INVALID = /^(3|invalid_?(request|argument))\b/i;
const SAFETY =
  /safety|prohibited|sensitive|responsible ai|usage (guidelines|polic)|violat|celebrit|child/i;
const FAILURES: readonly Rule[] = [
  { message: SAFETY, means: "contentRejected" },
  { code: INVALID, message: /image|inline_?data|bytesBase64/i, means: "unreadablePicture" },
  { code: INVALID, means: "invalidInput" },
  { code: SAFETY, means: "contentRejected" },
];

const REFUSALS: readonly Rule[] = [
  // Per-minute quotas refill soon; daily and spending caps need an operator.
  { status: [429], code: /PerMinute/, means: "rate_limited" },
  { status: [429], code: /PerDay/, means: "billing" },
  { status: [429], message: /per day|daily|spend/i, means: "billing" },
  // 503 UNAVAILABLE: "temporarily overloaded and can't service your request" (Gemini API, troubleshooting). An expired
  // deadline has the same status, but its request was begun.
  { status: [503], message: /\boverloaded\b|experiencing high demand/i, means: "unavailable" },
  { status: [400], code: /API_KEY_INVALID/, means: "auth" },
  { status: [400], message: /api key not valid/i, means: "auth" },
  { status: [400], code: /FAILED_PRECONDITION/, message: /billing/i, means: "billing" },
  { status: [400], code: /FAILED_PRECONDITION/, means: "config" },
  { status: [400], message: /^Invalid JSON payload received\. Unknown name /, means: "config" },
  ...FAILURES.map((rule) => ({ ...rule, status: [400] })),
];

/** Some answers are a list with one element. */
function errorOf(body: unknown): unknown {
  return at(Array.isArray(body) ? body[0] : body, "error");
}

/** The code is followed by the reasons and the quotas that are named. */
function faultOf(error: unknown) {
  const details = listAt(error, "details");
  const [delay] = details.flatMap((one) => textAt(one, "retryDelay") ?? []);
  const seconds = Number.parseFloat(delay ?? "");
  const quotas = details.flatMap((one) => listAt(one, "violations"));
  const codes = [
    textAt(error, "status") ?? textAt(error, "code") ?? numberAt(error, "code"),
    ...details.map((one) => textAt(one, "reason")),
    ...quotas.map((one) => textAt(one, "quotaId")),
  ];
  return {
    code: codes.filter((code) => code !== undefined).join(" "),
    message: textAt(error, "message"),
    retryAfterMs: Math.ceil(seconds * 1000),
  };
}
