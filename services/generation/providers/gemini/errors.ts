/** Maps Google's errors (google.rpc codes) to the provider interface. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import type { Answer } from "../shared/http.ts";
import { listAt, numberAt, textAt } from "../shared/json.ts";
import {
  closed,
  rateLimited,
  refusalOfStatus,
  refused,
  unavailable,
  type Refusal,
} from "../shared/outcome.ts";
import type { Failure } from "../provider.ts";

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

/** Why an interaction failed; its error has a code that is a number or a word, and a message. */
export function interactionFailure(error: unknown): Failure {
  const code = textAt(error, "code") ?? `${numberAt(error, "code")}`;
  if (INVALID.test(code)) return argumentFailure(error);
  const isContent = SAFETY.test(code) || SAFETY.test(messageOf(error));
  return isContent ? UPSTREAM_FAILURES.contentRejected : UPSTREAM_FAILURES.failed;
}

/** The meaning of an unsuccessful answer to a submit. */
export function geminiRefusal(answer: Answer): Refusal {
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
