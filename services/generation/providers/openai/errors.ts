/** What the errors of the OpenAI dialect mean, in the terms of the provider interface. */
import type { Failure, Submitted } from "../provider.ts";
import { contentRejected, invalidInput, UPSTREAM_FAILED } from "../refusals.ts";

export type OpenAiError = {
  message?: string | null;
  type?: string | null;
  param?: string | null;
  code?: string | number | null;
};

const CONTENT = /moderation|content_policy|content_filter|safety/i;
const SAFETY_TEXT = /safety system|content policy|moderation/i;
const BILLING = new Set(["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"]);

/** Why a video job failed; its codes are not published, so only clear ones are told apart. */
export function jobFailure(error: OpenAiError): Failure {
  if (isContent(error)) return contentRejected("either");
  const isUsers = error.type === "invalid_request_error" || /^invalid_/.test(`${error.code ?? ""}`);
  return isUsers ? blamed(error) : UPSTREAM_FAILED;
}

/** What an HTTP error to a submit means; undefined where a job may have been made all the same. */
export function submitFault(
  status: number,
  error: OpenAiError,
  retryAfterMs: number | undefined,
): Extract<Submitted, { kind: "rejected" | "closed" | "refused" }> | undefined {
  const closed = (fault: "auth" | "billing" | "config") =>
    ({ kind: "closed", fault, detail: `${status} ${error.code ?? ""}`.trim() }) as const;
  if (status < 400 || status >= 500 || status === 408) return undefined;
  if (BILLING.has(`${error.code ?? ""}`) || error.type === "insufficient_quota") return closed("billing");
  switch (status) {
    case 401:
    case 403:
      return closed("auth");
    case 402:
      return closed("billing");
    case 404:
    case 405:
      return closed("config");
    case 409:
    case 425:
    case 429:
      return { kind: "rejected", fault: "rate_limited", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    case 413:
      return { kind: "refused", failure: invalidInput("image_size") };
    default:
      if (error.code === "model_not_found") return closed("config");
      return { kind: "refused", failure: isContent(error) ? contentRejected("input") : blamed(error) };
  }
}

function isContent({ code, message }: OpenAiError): boolean {
  return CONTENT.test(`${code ?? ""}`) || SAFETY_TEXT.test(message ?? "");
}

function blamed({ param, message }: OpenAiError): Failure {
  const about = `${param ?? ""} ${message ?? ""}`;
  if (/image|input_reference/i.test(about)) {
    return invalidInput(/download|fetch/i.test(about) ? "image_unreachable" : "image_unreadable");
  }
  return invalidInput(param === "prompt" ? "prompt" : "input");
}
