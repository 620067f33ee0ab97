/** The provider for the Gemini API: Omni's videos are background interactions, images are made within one call. */
import type { CreateProvider, Failure, Imaged, Job, Polled, Source } from "../provider.ts";
import type { Answer } from "../shared/http.ts";
import { objectAt, promptOf, ratioOf, tierOf } from "../shared/input.ts";
import { at, inlineSource, listAt, numberAt, textAt } from "../shared/json.ts";
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

const IMAGE_TIMEOUT_MS = 280_000;

/** The model answered without a picture; the call is repeated once. */
const NOTHING_DRAWN: Imaged = { kind: "failed", failure: UPSTREAM_FAILURES.failed };

export const geminiProvider: CreateProvider = ({ baseUrl, key, clock }) => {
  const keyHeaders = { "x-goog-api-key": key };
  const api = createVendorApi({ baseUrl, clock, headers: keyHeaders }, geminiRefusal);
  const stateOf = (body: unknown) => interactionState(body, (url) => api.sourceAt(url, keyHeaders));

  return {
    takesBytes: true,
    submit: (job, signal) => {
      const call = {
        method: "POST",
        path: "/interactions",
        json: interactionRequest(job),
      } as const;
      return api.submit(call, signal, ({ body }) => interactionId(body));
    },
    // NOTE: Google documents no list of interactions.
    find: () => Promise.resolve({ kind: "unknown" }),
    cancel: async (upstreamId, signal) => {
      const path = `/interactions/${upstreamId}/cancel`;
      const { body } = await api.call({ method: "POST", path }, signal);
      return stateOf(body)?.kind === "stopped";
    },
    poll: (upstreamId, signal) =>
      api.poll(`/interactions/${upstreamId}`, signal, { isGone: isNotFound, stateOf }),
    image: async (job, signal) => {
      const call = {
        method: "POST",
        path: `/models/${job.model}:generateContent`,
        json: imageRequest(job),
        timeoutMs: IMAGE_TIMEOUT_MS,
      } as const;
      const send = () => api.image(call, signal, ({ body }) => imagedOf(drawn(body)));
      const imaged = await send();
      return imaged === NOTHING_DRAWN ? send() : imaged;
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

function imagedOf(answer: Drawn): Imaged {
  switch (answer.kind) {
    case "picture":
      return { kind: "succeeded", sources: [answer.source] };
    case "blocked":
      return { kind: "failed", failure: UPSTREAM_FAILURES.contentRejected };
    case "nothing":
      return NOTHING_DRAWN;
    case "unreadable":
      return { kind: "failed", failure: UPSTREAM_FAILURES.failed };
  }
}

// Builds interactions, with which Gemini Omni makes videos, and maps them to the provider interface.

const POLL_AFTER_MS = 10_000;
/** It is checked because the id becomes part of a URL. */
const ID = /^[\w.-]+$/;

/** What each status of an interaction says of a job. One that is not here counts as running. */
const INTERACTION_STATES: Readonly<Record<string, "running" | "made" | "failed" | "stopped">> = {
  queued: "running",
  in_progress: "running",
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

function interactionState(body: unknown, sourceOf: (url: string) => Source): Polled | undefined {
  const status = textAt(body, "status");
  if (status === undefined) return undefined;
  switch (INTERACTION_STATES[status]) {
    case "made": {
      const source = videoOf(body, sourceOf);
      return source ? { kind: "succeeded", sources: [source] } : failed(failureOf(body));
    }
    case "failed":
      return failed(failureOf(body));
    case "stopped":
      return { kind: "stopped" };
    default:
      return { kind: "running", pollAfterMs: POLL_AFTER_MS };
  }
}

/** The last video of the model's steps. */
function videoOf(body: unknown, sourceOf: (url: string) => Source): Source | undefined {
  const video = outputSteps(body)
    .flatMap((step) => listAt(step, "content"))
    .findLast((content) => textAt(content, "type") === "video");
  const uri = textAt(video, "uri");
  return uri === undefined ? inlineSource(textAt(video, "data") ?? "") : sourceOf(uri);
}

function failureOf(body: unknown): Failure {
  const errors = [...listAt(body, "errors"), ...outputSteps(body).map((step) => at(step, "error"))];
  const error = errors.find((one) => one !== undefined && one !== null);
  return error === undefined ? UPSTREAM_FAILURES.failed : interactionFailure(error);
}

function outputSteps(body: unknown): unknown[] {
  return listAt(body, "steps").filter((step) => textAt(step, "type") === "model_output");
}

function failed(failure: Failure): Polled {
  return { kind: "failed", failure };
}

// Builds requests to Gemini's image models and reads their answers.

/** The content of a 200 answer: the model may have blocked the prompt or drawn nothing. */
type Drawn =
  | { kind: "picture"; source: Source }
  | { kind: "blocked" }
  /** A repeated call may succeed. */
  | { kind: "nothing" }
  | { kind: "unreadable" };

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

function drawn(body: unknown): Drawn {
  if (textAt(body, "promptFeedback", "blockReason") !== undefined) return { kind: "blocked" };
  const [candidate] = listAt(body, "candidates");
  if (BLOCKED.has(textAt(candidate, "finishReason") ?? "")) return { kind: "blocked" };
  const parts = listAt(candidate, "content", "parts").filter((part) => at(part, "inlineData"));
  // Thoughts are drafts.
  const last = parts.findLast((part) => at(part, "thought") !== true) ?? parts.at(-1);
  const source = inlineSource(textAt(last, "inlineData", "data") ?? "");
  if (source) return { kind: "picture", source };
  const reason = textAt(candidate, "finishReason") ?? "";
  return { kind: NOTHING.has(reason) ? "nothing" : "unreadable" };
}

function imageTierOf({ width, height }: Job): "1K" | "2K" | "4K" {
  const pixels = width * height;
  if (pixels <= MAX_PIXELS_1K) return "1K";
  return pixels <= MAX_PIXELS_2K ? "2K" : "4K";
}

// Maps Google's errors (google.rpc codes) to the provider interface.

/** How an error of an interaction names the client's fault. */
const INVALID = /^(3|invalid_?(request|argument))$/i;
const SAFETY =
  /safety|prohibited|sensitive|responsible ai|usage (guidelines|polic)|violat|celebrit|child/i;
/**
 * 503 UNAVAILABLE: "temporarily overloaded and can't service your request" (Gemini API, troubleshooting). An expired
 * deadline has the same status, but its request was begun.
 */
const OVERLOADED = /\boverloaded\b|experiencing high demand/i;
const UNKNOWN_FIELD = /^Invalid JSON payload received\. Unknown name /;
const PICTURE = /image|inline_?data|bytesBase64/i;

function interactionFailure(error: unknown): Failure {
  const code = textAt(error, "code") ?? `${numberAt(error, "code")}`;
  if (INVALID.test(code)) return argumentFailure(error);
  const isContent = SAFETY.test(code) || SAFETY.test(messageOf(error));
  return isContent ? UPSTREAM_FAILURES.contentRejected : UPSTREAM_FAILURES.failed;
}

/** The meaning of an unsuccessful answer to a submit. */
function geminiRefusal(answer: Answer): Refusal {
  const error = errorOf(answer.body);
  if (answer.status === 429) {
    if (isCapSpent(error))
      return closed("billing", "the upstream's daily or spending cap is reached");
    return rateLimited({ ...answer, ...retryOf(error) });
  }
  const isOverloaded = answer.status === 503 && OVERLOADED.test(messageOf(error));
  if (isOverloaded) return unavailable({ ...answer, ...retryOf(error) });
  if (answer.status !== 400) return refusalOfStatus(answer);
  if (isKeyInvalid(error)) return closed("auth", "the upstream does not know the key");
  if (textAt(error, "status") === "FAILED_PRECONDITION") {
    return closed(
      /billing/i.test(messageOf(error)) ? "billing" : "config",
      "the upstream does not serve this account or region",
    );
  }
  if (UNKNOWN_FIELD.test(messageOf(error))) {
    return closed("config", "the upstream does not know a configured field");
  }
  return refused(argumentFailure(error));
}

/** Some answers are a list with one element. */
function errorOf(body: unknown): unknown {
  const one: unknown = Array.isArray(body) ? body[0] : body;
  return (one as { error?: unknown } | undefined)?.error;
}

function messageOf(error: unknown): string {
  return textAt(error, "message") ?? "";
}

function argumentFailure(error: unknown): Failure {
  const message = messageOf(error);
  if (SAFETY.test(message)) return UPSTREAM_FAILURES.contentRejected;
  return PICTURE.test(message)
    ? UPSTREAM_FAILURES.unreadablePicture
    : UPSTREAM_FAILURES.invalidInput;
}

function isKeyInvalid(error: unknown): boolean {
  return (
    listAt(error, "details").some((one) => textAt(one, "reason") === "API_KEY_INVALID") ||
    /api key not valid/i.test(messageOf(error))
  );
}

/** Per-minute quotas refill soon; daily and spending caps need an operator. */
function isCapSpent(error: unknown): boolean {
  const quotas = listAt(error, "details")
    .flatMap((one) => listAt(one, "violations"))
    .flatMap((one) => textAt(one, "quotaId") ?? []);
  if (quotas.some((quota) => quota.includes("PerMinute"))) return false;
  return (
    quotas.some((quota) => quota.includes("PerDay")) ||
    /per day|daily|spend/i.test(messageOf(error))
  );
}

function retryOf(error: unknown): { retryAfterMs?: number } {
  const [delay] = listAt(error, "details").flatMap((one) => textAt(one, "retryDelay") ?? []);
  const seconds = Number.parseFloat(delay ?? "");
  return Number.isFinite(seconds) ? { retryAfterMs: Math.ceil(seconds * 1000) } : {};
}
