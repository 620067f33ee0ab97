/** Sends submits, image calls and checks, and maps their answers to the provider interface. */
import { UPSTREAM_FAILURES } from "./failures.ts";
import type { Answer, Api, Call } from "./http.ts";
import type { Checked, Failure, Imaged, OperatorFault, Source, Submitted } from "../provider.ts";

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

/** Maps the HTTP status alone; adapters map the upstream's own codes first. */
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

/** Sends a job once; `idOf` reads the upstream id from an accepting answer. */
export async function submitOnce(
  api: Api,
  call: Call,
  signal: AbortSignal,
  read: {
    idOf: (answer: Answer) => string | undefined;
    refusalOf: (answer: Answer) => Refusal;
  },
): Promise<Submitted> {
  const outcome = await api.attempt(call, signal);
  if (outcome.kind === "not_sent") return { kind: "rejected", fault: "unavailable" };
  if (outcome.kind === "lost") return { kind: "unknown" };
  const { answer } = outcome;
  if (answer.status < 200 || answer.status >= 300) return read.refusalOf(answer);
  const upstreamId = read.idOf(answer);
  return upstreamId === undefined ? { kind: "unknown" } : { kind: "accepted", upstreamId };
}

/** Makes an image within one call. The image exists only in the answer, so a lost answer is a failure. */
export async function imageOnce(
  api: Api,
  call: Call,
  signal: AbortSignal,
  read: {
    /** Reads an answer with a 2xx status; some upstreams refuse in such answers too. */
    imagedOf: (answer: Answer) => Imaged;
    refusalOf: (answer: Answer) => Refusal;
  },
): Promise<Imaged> {
  const outcome = await api.attempt(call, signal);
  if (outcome.kind === "not_sent") return { kind: "rejected", fault: "unavailable" };
  if (outcome.kind === "lost") {
    signal.throwIfAborted();
    const { timedOut, failed } = UPSTREAM_FAILURES;
    return { kind: "failed", failure: outcome.timedOut ? timedOut : failed };
  }
  const { answer } = outcome;
  if (answer.status >= 200 && answer.status < 300) return read.imagedOf(answer);
  const refusal = read.refusalOf(answer);
  switch (refusal.kind) {
    case "refused":
      return { kind: "failed", failure: refusal.failure };
    case "unknown":
      return { kind: "failed", failure: UPSTREAM_FAILURES.failed };
    default:
      return refusal;
  }
}

/** Sends a harmless request and reports whether the upstream accepts it: with a 2xx status, or as `isAccepted` says. */
export async function checkOnce(
  api: Api,
  call: Call,
  signal: AbortSignal,
  refusalOf: (answer: Answer) => Refusal,
  isAccepted: (answer: Answer) => boolean = () => false,
): Promise<Checked> {
  const outcome = await api.attempt(call, signal);
  if (outcome.kind !== "answered") {
    return { ok: false, fault: "unavailable", detail: "no answer" };
  }
  const { answer } = outcome;
  if (answer.status >= 200 && answer.status < 300) return { ok: true };
  if (isAccepted(answer)) return { ok: true };
  const refusal = refusalOf(answer);
  if (refusal.kind === "closed") {
    return { ok: false, fault: refusal.fault, detail: refusal.detail };
  }
  return { ok: false, fault: "unavailable", detail: `it answered ${answer.status}` };
}

/** A result at a URL; `keyHeaders` are for upstreams whose results need the key. */
export function sourceAt(
  api: Api,
  url: string,
  keyHeaders?: Readonly<Record<string, string>>,
): Source {
  const configuredOrigin = api.isOwnOrigin(url);
  return configuredOrigin && keyHeaders
    ? { url, configuredOrigin, headers: keyHeaders }
    : { url, configuredOrigin };
}

function rejected(fault: "rate_limited" | "unavailable", answer: Answer): Refusal {
  return {
    kind: "rejected",
    fault,
    ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
  };
}
