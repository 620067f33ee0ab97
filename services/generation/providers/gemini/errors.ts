/** What Google's errors mean: google.rpc codes in the terms of the provider interface. */
import type { Failure, Submitted } from "../provider.ts";
import { contentRejected, invalidInput, UPSTREAM_FAILED } from "../refusals.ts";

/** An operation's error has the integer alone, an HTTP answer also the name and the details. */
export type RpcError = {
  code?: number;
  status?: string;
  message?: string;
  details?: { reason?: string; retryDelay?: string; violations?: { quotaId?: string }[] }[];
};

const INVALID_ARGUMENT = 3;
const SAFETY =
  /safety|prohibited|sensitive|responsible ai|usage (guidelines|policy|policies)|violat|(adult|child|celebrit|person)\w* .*(not allowed|blocked|filter)/i;
const IMAGE = /image|inline_?data|bytesBase64/i;

/** Why a task ended with an error. */
export function operationFailure(error: RpcError): Failure {
  return error.code === INVALID_ARGUMENT ? argumentFailure(error) : UPSTREAM_FAILED;
}

/** What an HTTP error to a submit means; undefined where a job may have been made all the same. */
export function submitFault(
  status: number,
  error: RpcError,
  retryAfterMs: number | undefined,
): Extract<Submitted, { kind: "rejected" | "closed" | "refused" }> | undefined {
  const closed = (fault: "auth" | "billing" | "config") =>
    ({ kind: "closed", fault, detail: `${status} ${error.status ?? ""}`.trim() }) as const;
  switch (status) {
    case 400:
      if (isKeyInvalid(error)) return closed("auth");
      if (error.status === "FAILED_PRECONDITION") {
        return closed(/billing/i.test(error.message ?? "") ? "billing" : "config");
      }
      return { kind: "refused", failure: argumentFailure(error) };
    case 401:
    case 403:
      return closed("auth");
    case 402:
      return closed("billing");
    case 404:
      return closed("config");
    case 413:
      return { kind: "refused", failure: invalidInput("image_size") };
    case 429:
      if (isCapSpent(error)) return closed("billing");
      return { kind: "rejected", fault: "rate_limited", ...retryOf(error, retryAfterMs) };
    default:
      return undefined;
  }
}

/** Whether the key itself is what is wrong: Google says so with a 400. */
export function isKeyInvalid(error: RpcError): boolean {
  return error.details?.some((one) => one.reason === "API_KEY_INVALID") === true;
}

function argumentFailure({ message = "" }: RpcError): Failure {
  if (SAFETY.test(message)) return contentRejected("input");
  return invalidInput(IMAGE.test(message) ? "image_unreadable" : "input");
}

/** Quotas of a minute come back by themselves; daily and spending caps do not. */
function isCapSpent({ message = "", details = [] }: RpcError): boolean {
  const quotas = details.flatMap((one) => one.violations ?? []).map((one) => one.quotaId ?? "");
  if (quotas.some((quota) => /PerMinute/.test(quota))) return false;
  return quotas.some((quota) => /PerDay/.test(quota)) || /per day|daily|spend/i.test(message);
}

function retryOf({ details = [] }: RpcError, retryAfterMs: number | undefined): { retryAfterMs?: number } {
  const [delay] = details.flatMap((one) => one.retryDelay ?? []);
  const seconds = delay === undefined ? Number.NaN : Number.parseFloat(delay);
  if (Number.isFinite(seconds)) return { retryAfterMs: Math.ceil(seconds * 1000) };
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
