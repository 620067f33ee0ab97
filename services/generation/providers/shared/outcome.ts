/** Makes the calls of a vendor, and maps their answers to the provider interface. */
import type {
  Checked,
  Failure,
  Imaged,
  OperatorFault,
  Polled,
  Source,
  Submitted,
} from "../provider.ts";
import { type Answer, type Api, type Call, createApi } from "./http.ts";

/** The meaning of an answer that is not a success; "unknown" if a job may still have been created. */
export type Refusal = Exclude<Submitted, { kind: "accepted" }>;

/** A failed query; it says nothing about the job. */
export class UpstreamError extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(what: string, answer: Answer) {
    super(`the upstream answered ${answer.status} to ${what}`);
    this.status = answer.status;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

export const rateLimited = (answer: Answer): Refusal => rejected("rate_limited", answer);
export const unavailable = (answer: Answer): Refusal => rejected("unavailable", answer);
export const refused = (failure: Failure): Refusal => ({ kind: "refused", failure });
export const closed = (fault: OperatorFault, detail: string): Refusal => ({
  kind: "closed",
  fault,
  detail,
});

/** Maps the HTTP status alone; providers map the upstream's own codes first. */
export function refusalOfStatus(answer: Answer): Refusal {
  const { status } = answer;
  const detail = `the upstream answered ${status}`;
  if (status >= 500 || status === 408 || status < 300) return { kind: "unknown" };
  if (status === 401 || status === 403) return closed("auth", detail);
  if (status === 402) return closed("billing", detail);
  if (status === 429) return rateLimited(answer);
  if (status === 409 || status === 425) return unavailable(answer);
  if (status < 400 || status === 404 || status === 405 || status === 410) {
    return closed("config", detail);
  }
  return refused(UPSTREAM_FAILURES.invalidInput);
}

/** The calls of one vendor's API. */
export type VendorApi = {
  call: Api["call"];
  /** Sends a job once; `idOf` reads the upstream id from an accepting answer. */
  submit: (
    call: Call,
    signal: AbortSignal,
    idOf: (answer: Answer) => string | undefined,
  ) => Promise<Submitted>;
  /**
   * Makes an image within one call. The image exists only in the answer, so a lost answer is a failure. `imagedOf` reads
   * an answer with a 2xx status; some upstreams refuse in such answers too.
   */
  image: (call: Call, signal: AbortSignal, imagedOf: (answer: Answer) => Imaged) => Promise<Imaged>;
  /** Reads the state of a job at its path. `isGone`: a 404 with this body is about the job, and not of a proxy. */
  poll: (path: string, signal: AbortSignal, read: PollReader) => Promise<Polled>;
  /** Sends a harmless request and reports whether the upstream accepts it: with a 2xx status, or as `isAccepted` says. */
  check: (
    call: Omit<Call, "method">,
    signal: AbortSignal,
    isAccepted?: (answer: Answer) => boolean,
  ) => Promise<Checked>;
  /** A result at a URL; `keyHeaders` are for upstreams whose results need the key. */
  sourceAt: (url: string, keyHeaders?: Readonly<Record<string, string>>) => Source;
};

type PollReader = {
  isGone?: (body: unknown) => boolean;
  /** Undefined where the body is not that of a job. */
  stateOf: (body: unknown) => Polled | undefined;
};

/** `refusalOf` says what an answer means that is not a success. */
export function createVendorApi(
  settings: Parameters<typeof createApi>[0],
  refusalOf: (answer: Answer) => Refusal,
): VendorApi {
  const api = createApi(settings);
  return {
    call: api.call,
    submit: async (call, signal, idOf) => {
      const outcome = await api.attempt(call, signal);
      if (outcome.kind === "not_sent") return { kind: "rejected", fault: "unavailable" };
      if (outcome.kind === "lost") return { kind: "unknown" };
      const { answer } = outcome;
      if (!isSuccess(answer)) return refusalOf(answer);
      const upstreamId = idOf(answer);
      return upstreamId === undefined ? { kind: "unknown" } : { kind: "accepted", upstreamId };
    },
    image: async (call, signal, imagedOf) => {
      const outcome = await api.attempt(call, signal);
      if (outcome.kind === "not_sent") return { kind: "rejected", fault: "unavailable" };
      if (outcome.kind === "lost") {
        signal.throwIfAborted();
        const { timedOut, failed } = UPSTREAM_FAILURES;
        return { kind: "failed", failure: outcome.timedOut ? timedOut : failed };
      }
      const { answer } = outcome;
      if (isSuccess(answer)) return imagedOf(answer);
      const refusal = refusalOf(answer);
      switch (refusal.kind) {
        case "refused":
          return { kind: "failed", failure: refusal.failure };
        case "unknown":
          return { kind: "failed", failure: UPSTREAM_FAILURES.failed };
        default:
          return refusal;
      }
    },
    poll: async (path, signal, { isGone, stateOf }) => {
      const answer = await api.call({ method: "GET", path }, signal);
      const { status, body } = answer;
      if (status === 404 && isGone?.(body)) return { kind: "gone" };
      const state = status === 200 ? stateOf(body) : undefined;
      if (!state) throw new UpstreamError("a poll", answer);
      return withRetryAfter(answer, state);
    },
    check: async (call, signal, isAccepted = () => false) => {
      const outcome = await api.attempt({ method: "GET", ...call }, signal);
      if (outcome.kind !== "answered") {
        return { ok: false, fault: "unavailable", detail: "no answer" };
      }
      const { answer } = outcome;
      if (isSuccess(answer) || isAccepted(answer)) return { ok: true };
      const refusal = refusalOf(answer);
      if (refusal.kind === "closed") {
        return { ok: false, fault: refusal.fault, detail: refusal.detail };
      }
      return { ok: false, fault: "unavailable", detail: `it answered ${answer.status}` };
    },
    sourceAt: (url, keyHeaders) => {
      const configuredOrigin = api.isOwnOrigin(url);
      return configuredOrigin && keyHeaders
        ? { url, configuredOrigin, headers: keyHeaders }
        : { url, configuredOrigin };
    },
  };
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function rejected(fault: "rate_limited" | "unavailable", answer: Answer): Refusal {
  return {
    kind: "rejected",
    fault,
    ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
  };
}

// Maps an upstream's error codes to refusals and failures by a table of rules.

type Meaning = Failure | OperatorFault | "rate_limited" | "unavailable" | "failed";

/** The first matching rule applies; `message` narrows codes that have several meanings. */
export type Rule = {
  code: RegExp;
  message?: RegExp;
  means: Meaning;
  /** The upstream documents that a 5xx with this code took nothing on. Without it a 5xx leaves the outcome unknown. */
  isCertainAt5xx?: true;
};

type UpstreamFault = { code: string; message: string };

/** The meaning of an unsuccessful answer to a create. After a 5xx only what the upstream documents is certain. */
export function refusalBy(rules: readonly Rule[], answer: Answer, fault: UpstreamFault): Refusal {
  const known = answer.status >= 500 ? rules.filter((rule) => rule.isCertainAt5xx) : rules;
  const meaning = meaningBy(known, fault);
  switch (meaning) {
    case undefined:
      return refusalOfStatus(answer);
    case "rate_limited":
      return rateLimited(answer);
    case "unavailable":
      return unavailable(answer);
    case "failed":
      return refused(UPSTREAM_FAILURES.failed);
    case "auth":
    case "billing":
    case "config":
      return closed(meaning, `the upstream answered ${answer.status} ${fault.code}`);
    default:
      return refused(meaning);
  }
}

/** Why an accepted job failed: `upstream_failed` unless a rule names another failure. */
export function failureBy(rules: readonly Rule[], fault: UpstreamFault): Failure {
  const meaning = meaningBy(rules, fault);
  return typeof meaning === "object" ? meaning : UPSTREAM_FAILURES.failed;
}

function meaningBy(rules: readonly Rule[], fault: UpstreamFault): Meaning | undefined {
  return rules.find(
    ({ code, message }) => code.test(fault.code) && (message?.test(fault.message) ?? true),
  )?.means;
}

// The failures of upstreams, with messages for client developers that name and quote no provider.

export const UPSTREAM_FAILURES = {
  contentRejected: {
    code: "content_rejected",
    message:
      "The prompt or a picture was refused by the content rules. Nothing was charged; change it and create the generation again.",
  },
  promptRejected: {
    code: "content_rejected",
    message:
      "The prompt was refused by the content rules. Nothing was charged; rephrase it and create the generation again.",
  },
  pictureRejected: {
    code: "content_rejected",
    message:
      "A picture was refused by the content rules. Nothing was charged; use another one and create the generation again.",
  },
  outputRejected: {
    code: "content_rejected",
    message:
      "The result was withheld by the content rules. Nothing was charged; rephrase the prompt or use another seed, and create it again.",
  },
  invalidInput: {
    code: "invalid_input",
    message:
      "The model could not use this input. Nothing was charged; check the prompt, the pictures and the size, and create it again.",
  },
  unreadablePicture: {
    code: "invalid_input",
    message:
      "A picture could not be read. Nothing was charged; its URL must answer with a JPEG, PNG or WebP that anybody can fetch.",
  },
  unsuitablePicture: {
    code: "invalid_input",
    message:
      "A picture is too large, too small or of a shape that the model does not take. Nothing was charged; use another one and create it again.",
  },
  promptTooLong: {
    code: "invalid_input",
    message:
      "The prompt is longer than this model takes. Nothing was charged; shorten it and create the generation again.",
  },
  negativePromptTooLong: {
    code: "invalid_input",
    message:
      "negative_prompt is longer than this model takes, also as a part of the prompt. Nothing was charged; shorten it and create the generation again.",
  },
  failed: {
    code: "upstream_failed",
    message: "The model failed to make a result. Nothing was charged; create it again.",
  },
  timedOut: {
    code: "upstream_timeout",
    message: "The model took longer than allowed. Nothing was charged; create it again.",
  },
  resultGone: {
    code: "expired",
    message: "The result was gone before it could be copied. Nothing was charged; create it again.",
  },
} as const satisfies Record<string, Failure>;

/** Adds the wait that the answer asks for to the state of a running job. */
export function withRetryAfter({ retryAfterMs }: Answer, polled: Polled): Polled {
  return polled.kind === "running" && retryAfterMs !== undefined
    ? { ...polled, retryAfterMs }
    : polled;
}
