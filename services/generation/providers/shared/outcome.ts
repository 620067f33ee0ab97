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
import { FAILURES, failuresOf } from "../../domain/failures.ts";
import { type Answer, type Call, createApi, waitOf } from "./http.ts";
import { textAt } from "./json.ts";

/** The meaning of an answer that is not a success; "unknown" if a job may still have been created. */
type Refusal = Exclude<Submitted, { kind: "accepted" }>;

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

type FailureName = keyof typeof UPSTREAM_FAILURES;
type Meaning = FailureName | OperatorFault | "rate_limited" | "unavailable";

/** What an error means that has this code, this field at fault and this message. The first rule that matches applies. */
export type Rule = {
  /** The answers that it is for; absent: all below 500. A 5xx is certain only where the vendor documents that. */
  status?: readonly number[];
  code?: RegExp;
  field?: RegExp;
  message?: RegExp;
  means: Meaning;
};

/** An error as a vendor tells it. */
export type UpstreamFault = {
  code?: string | undefined;
  field?: string | undefined;
  message?: string | undefined;
  /** The wait that it asks for, where no header does; NaN: none. */
  retryAfterMs?: number | undefined;
};

export type Vendor = {
  faultOf: (body: unknown) => UpstreamFault;
  /** The meanings of answers that are not a success. The others are known by their status. */
  refusals: readonly Rule[];
};

function meaningBy(
  rules: readonly Rule[],
  { code = "", field = "", message = "" }: UpstreamFault,
): Meaning | undefined {
  const matches = (rule: Rule) =>
    (rule.code?.test(code) ?? true) &&
    (rule.field?.test(field) ?? true) &&
    (rule.message?.test(message) ?? true);
  return rules.find(matches)?.means;
}

/** Why an accepted job failed: `upstream_failed` unless a rule names another failure. */
export function failureBy(rules: readonly Rule[], fault: UpstreamFault): Failure {
  const failures: Partial<Record<Meaning, Failure>> = UPSTREAM_FAILURES;
  return failures[meaningBy(rules, fault) ?? "failed"] ?? UPSTREAM_FAILURES.failed;
}

function refusalBy({ faultOf, refusals }: Vendor, answer: Answer): Refusal {
  const { status, body } = answer;
  const fault = faultOf(body);
  const rules = refusals.filter((rule) => rule.status?.includes(status) ?? status < 500);
  const meaning = meaningBy(rules, fault) ?? meaningOfStatus(status);
  switch (meaning) {
    case undefined:
      return { kind: "unknown" };
    case "rate_limited":
    case "unavailable": {
      const { retryAfterMs = waitOf(fault.retryAfterMs) } = answer;
      return { kind: "rejected", fault: meaning, retryAfterMs };
    }
    case "auth":
    case "billing":
    case "config": {
      const { code, field } = fault;
      const detail = ["the upstream answered", status, code, field].filter(Boolean).join(" ");
      return { kind: "closed", fault: meaning, detail };
    }
    default:
      return { kind: "refused", failure: UPSTREAM_FAILURES[meaning] };
  }
}

/** Undefined if a job may have been created. */
function meaningOfStatus(status: number): Meaning | undefined {
  if (status >= 500 || status === 408 || status === 499 || status < 300) return undefined;
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "billing";
  if (status === 429) return "rate_limited";
  if (status === 409 || status === 425) return "unavailable";
  if (status < 400 || status === 404 || status === 405 || status === 410) return "config";
  return "invalidInput";
}

/** How a vendor tells what became of a job. */
export type JobReader = {
  /** The status word, if it is not in `status`; undefined where the body is not that of a job. */
  statusOf?: (body: unknown) => string | undefined;
  /** What status words mean. One that is not here is running: the task ends at its deadline at the latest. */
  states: Readonly<Record<string, "made" | "failed" | "stopped" | "gone" | Failure>>;
  pollAfterMs: number;
  progressOf?: (body: unknown) => number | undefined;
} & MadeReader;

type MadeReader = {
  /** Undefined for each that the body has not. */
  sourcesOf: (body: unknown) => (Source | undefined)[];
  /** Why nothing was made. */
  failureOf: (body: unknown) => Failure;
};

/** Undefined where the body is not that of a job. */
function stateOf(reader: JobReader, { body, retryAfterMs }: Answer): Polled | undefined {
  const word = reader.statusOf ? reader.statusOf(body) : textAt(body, "status");
  if (word === undefined) return undefined;
  const state = Object.hasOwn(reader.states, word) ? reader.states[word] : undefined;
  switch (state) {
    case undefined: {
      const progress = reader.progressOf?.(body);
      return { kind: "running", pollAfterMs: reader.pollAfterMs, progress, retryAfterMs };
    }
    case "made":
      return made(reader, body);
    case "failed":
      return failed(reader.failureOf(body));
    case "stopped":
    case "gone":
      return { kind: state };
    default:
      return failed(state);
  }
}

function made({ sourcesOf, failureOf }: MadeReader, body: unknown) {
  const sources = sourcesOf(body).filter((source) => source !== undefined);
  return sources.length > 0 ? { kind: "succeeded" as const, sources } : failed(failureOf(body));
}

export const failed = (failure: Failure) => ({ kind: "failed", failure }) as const;

export type Post = Omit<Call, "method">;

export type VendorApi = ReturnType<typeof createVendorApi>;

export function createVendorApi(settings: Parameters<typeof createApi>[0], vendor: Vendor) {
  const api = createApi(settings);
  return {
    call: api.call,
    attempt: api.attempt,
    /** Sends a job once; `idOf` reads the upstream id from an accepting answer. */
    submit: async (
      call: Post,
      signal: AbortSignal,
      idOf = (body: unknown) => textAt(body, "id"),
    ): Promise<Submitted> => {
      const outcome = await api.attempt({ method: "POST", ...call }, signal);
      if (outcome.kind === "not_sent") return { kind: "rejected", fault: "unavailable" };
      if (outcome.kind === "lost") return { kind: "unknown" };
      const { answer } = outcome;
      if (!isSuccess(answer)) return refusalBy(vendor, answer);
      const upstreamId = idOf(answer.body);
      return upstreamId === undefined ? { kind: "unknown" } : { kind: "accepted", upstreamId };
    },
    /**
     * Makes an image within one call. The image exists only in the answer, so a lost answer is a failure. Some upstreams
     * refuse in answers with a 2xx status, too.
     */
    image: async (call: Post, signal: AbortSignal, reader: MadeReader): Promise<Imaged> => {
      const outcome = await api.attempt({ method: "POST", ...call }, signal);
      if (outcome.kind === "not_sent") return { kind: "rejected", fault: "unavailable" };
      if (outcome.kind === "lost") {
        signal.throwIfAborted();
        return failed(outcome.timedOut ? UPSTREAM_FAILURES.timedOut : UPSTREAM_FAILURES.failed);
      }
      if (isSuccess(outcome.answer)) return made(reader, outcome.answer.body);
      const refusal = refusalBy(vendor, outcome.answer);
      if (refusal.kind === "refused") return failed(refusal.failure);
      return refusal.kind === "unknown" ? failed(UPSTREAM_FAILURES.failed) : refusal;
    },
    /** Reads the state of a job at its path. `isGone`: a 404 with this body is about the job, and not of a proxy. */
    poll: async (
      path: string,
      signal: AbortSignal,
      reader: JobReader,
      isGone: (body: unknown) => boolean = () => false,
    ): Promise<Polled> => {
      const answer = await api.call({ method: "GET", path }, signal);
      const { status, body } = answer;
      if (status === 404 && isGone(body)) return { kind: "gone" };
      const state = status === 200 ? stateOf(reader, answer) : undefined;
      if (!state) throw new UpstreamError("a poll", answer);
      return state;
    },
    /** Asks for a stop; true if the answer is that of a job which has stopped. */
    cancel: async (path: string, signal: AbortSignal, reader: JobReader): Promise<boolean> => {
      const answer = await api.call({ method: "POST", path }, signal);
      return stateOf(reader, answer)?.kind === "stopped";
    },
    /** Sends a harmless request and reports whether the upstream accepts it: with a 2xx status, or as `isAccepted` says. */
    check: async (
      call: Post,
      signal: AbortSignal,
      isAccepted: (answer: Answer) => boolean = () => false,
    ): Promise<Checked> => {
      const outcome = await api.attempt({ method: "GET", ...call }, signal);
      if (outcome.kind !== "answered") {
        return { ok: false, fault: "unavailable", detail: "no answer" };
      }
      const { answer } = outcome;
      if (isSuccess(answer) || isAccepted(answer)) return { ok: true };
      const refusal = refusalBy(vendor, answer);
      if (refusal.kind === "closed") {
        return { ok: false, fault: refusal.fault, detail: refusal.detail };
      }
      return { ok: false, fault: "unavailable", detail: `it answered ${answer.status}` };
    },
    /** A result at a URL; `keyHeaders` are for upstreams whose results need the key. */
    sourceAt: (
      url: string | undefined,
      keyHeaders?: Readonly<Record<string, string>>,
    ): Source | undefined => {
      if (url === undefined) return undefined;
      const configuredOrigin = api.isOwnOrigin(url);
      return { url, configuredOrigin, headers: configuredOrigin ? keyHeaders : undefined };
    },
  };
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** The messages are for client developers, and name and quote no provider. */
export const UPSTREAM_FAILURES = {
  ...failuresOf("content_rejected", {
    contentRejected: ["The prompt or a picture was refused by the content rules.", "change it"],
    promptRejected: ["The prompt was refused by the content rules.", "rephrase it"],
    pictureRejected: ["A picture was refused by the content rules.", "use another one"],
    outputRejected: [
      "The result was withheld by the content rules.",
      "rephrase the prompt or use another seed",
    ],
  }),
  ...failuresOf("invalid_input", {
    invalidInput: [
      "The model could not use this input.",
      "check the prompt, the pictures and the size",
    ],
    unreadablePicture: [
      "A picture could not be read.",
      "give a URL that answers with a JPEG, PNG or WebP that anybody can fetch",
    ],
    unsuitablePicture: [
      "A picture is too large, too small or of a shape that the model does not take.",
      "use another one",
    ],
    promptTooLong: ["The prompt is longer than this model takes.", "shorten it"],
    negativePromptTooLong: [
      "negative_prompt is longer than this model takes, also as a part of the prompt.",
      "shorten it",
    ],
  }),
  ...failuresOf("upstream_failed", { failed: ["The model failed to make a result."] }),
  ...failuresOf("upstream_timeout", { timedOut: ["The model took longer than allowed."] }),
  resultGone: FAILURES.resultGone,
};
