/** Maps Ark's error codes, in answers and in failed tasks. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import type { Answer } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import type { Refusal } from "../shared/outcome.ts";
import type { Failure } from "../provider.ts";
import { failureBy, refusalBy, type Rule } from "../shared/rules.ts";

const RULES: readonly Rule[] = [
  { code: /^Output.*SensitiveContentDetected/, means: UPSTREAM_FAILURES.outputRejected },
  { code: /^InputText.*SensitiveContentDetected/, means: UPSTREAM_FAILURES.promptRejected },
  { code: /^InputImage.*SensitiveContentDetected/, means: UPSTREAM_FAILURES.pictureRejected },
  { code: /SensitiveContentDetected|RiskDetection/, means: UPSTREAM_FAILURES.contentRejected },
  { code: /^AuthenticationError/, means: "auth" },
  { code: /^(AccountOverdueError|OperationDenied\.ServiceOverdue)/, means: "billing" },
  { code: /^SetLimitExceeded/, means: "billing" },
  { code: /^QuotaExceeded/, message: /free trial/i, means: "billing" },
  { code: /^(AccessDenied|OperationDenied)/, means: "config" },
  { code: /^(ModelNotOpen|InvalidEndpointOrModel|UnsupportedModel)/, means: "config" },
  { code: /^InvalidEndpoint\.ClosedEndpoint/, means: "unavailable" },
  { code: /RateLimitExceeded/, means: "rate_limited" },
  {
    code: /^(RequestBurstTooFast|ServerOverloaded|InflightBatchsizeExceeded|QuotaExceeded)/,
    means: "rate_limited",
  },
  { code: /^InvalidImageURL/, means: UPSTREAM_FAILURES.unreadablePicture },
  // The field that the code names is not made of the client's input, so the configuration must not send it, or must.
  {
    code: /^(Missing|Invalid)Parameter\S* (?!content|text|prompt|image|size|ratio|duration|seed)/,
    means: "config",
  },
  { code: /^(Missing|Invalid)Parameter/, means: UPSTREAM_FAILURES.invalidInput },
];

/** The meaning of an unsuccessful answer. */
export function refusalOf(answer: Answer): Refusal {
  return refusalBy(RULES, answer, faultAt(answer.body));
}

/** Why a task or an image failed; `body` has the field `error`. */
export function failureOf(body: unknown): Failure {
  return failureBy(RULES, faultAt(body));
}

/** The code is followed by the field at fault, if there is one. */
function faultAt(body: unknown) {
  const field = textAt(body, "error", "param");
  return {
    code: `${textAt(body, "error", "code") ?? ""}${field === undefined ? "" : ` ${field}`}`,
    message: textAt(body, "error", "message") ?? "",
  };
}
