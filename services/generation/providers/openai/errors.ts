/** Maps the errors of OpenAI-compatible APIs to the provider interface. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import type { Answer } from "../shared/http.ts";
import { at, textAt } from "../shared/json.ts";
import {
  closed,
  rateLimited,
  refusalOfStatus,
  refused,
  unavailable,
  type Refusal,
} from "../shared/outcome.ts";
import type { Failure } from "../provider.ts";

const CONTENT_CODE = /moderation|content_policy|content_filter|safety/i;
const CONTENT_TEXT = /safety system|content policy|moderation/i;
const BILLING = new Set(["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"]);
/** A request has these fields because the configuration says so, or with every request. */
const UNKNOWN_FIELD = /^(unknown|unsupported)_parameter$/;

/** "The requested model does not have enough capacity to process your request" (OpenAI, error codes, 503). */
const OVERLOADED = "server_is_overloaded";

/** Why a video job failed. The codes are not published, so only unambiguous ones are mapped. */
export function jobFailure(error: unknown): Failure {
  if (isContent(error)) return UPSTREAM_FAILURES.contentRejected;
  const code = textAt(error, "code") ?? "";
  const isInputFault =
    textAt(error, "type") === "invalid_request_error" || code.startsWith("invalid_");
  return isInputFault ? inputFailure(error) : UPSTREAM_FAILURES.failed;
}

/** The meaning of an unsuccessful answer to a submit. */
export function openaiRefusal(answer: Answer): Refusal {
  const error = at(answer.body, "error");
  const code = textAt(error, "code") ?? textAt(error, "type") ?? "";
  if (answer.status === 503 && code === OVERLOADED) return unavailable(answer);
  if (answer.status >= 500) return refusalOfStatus(answer);
  if (BILLING.has(code)) return closed("billing", "the upstream account's quota is spent");
  if (code === "model_not_found") return closed("config", "the upstream does not know the model");
  if (UNKNOWN_FIELD.test(code)) {
    return closed("config", `the model does not take the field ${textAt(error, "param")}`);
  }
  if (answer.status === 429) return rateLimited(answer);
  if (answer.status !== 400 && answer.status !== 422) return refusalOfStatus(answer);
  return refused(isContent(error) ? UPSTREAM_FAILURES.contentRejected : inputFailure(error));
}

function isContent(error: unknown): boolean {
  return (
    CONTENT_CODE.test(textAt(error, "code") ?? "") ||
    CONTENT_TEXT.test(textAt(error, "message") ?? "")
  );
}

function inputFailure(error: unknown): Failure {
  const about = `${textAt(error, "param") ?? ""} ${textAt(error, "message") ?? ""}`;
  const isPicture = /\bimage|input_reference/i.test(about);
  return isPicture ? UPSTREAM_FAILURES.unreadablePicture : UPSTREAM_FAILURES.invalidInput;
}
