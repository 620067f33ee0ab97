/** Maps DashScope's error codes, in answers and in failed tasks. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import type { Answer } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import type { Refusal } from "../shared/outcome.ts";
import type { Failure } from "../provider.ts";
import { failureBy, refusalBy, type Rule } from "../shared/rules.ts";

const RULES: readonly Rule[] = [
  { code: /^DataInspectionFailed/, means: UPSTREAM_FAILURES.contentRejected },
  { code: /^IPInfringementSuspect/, means: UPSTREAM_FAILURES.contentRejected },
  { code: /^InvalidApiKey/, means: "auth" },
  { code: /^(Arrearage|PrepaidBillOverdue|PostpaidBillOverdue)/, means: "billing" },
  { code: /^(CommodityNotPurchased|AccessDenied\.Unpurchased)/, means: "billing" },
  { code: /^AllocationQuota\.FreeTierOnly/, means: "billing" },
  { code: /^Throttling\.AllocationQuota/, message: /free/i, means: "billing" },
  { code: /^Throttling/, means: "rate_limited" },
  { code: /^(Model\.|Workspace\.)?AccessDenied/, means: "config" },
  { code: /^(ModelNotFound|Model\.)/, means: "config" },
  // DashScope reports a wrong path for a model with the code of invalid input.
  { code: /^InvalidParameter/, message: /url error/i, means: "config" },
  { code: /^InvalidParameter\.DataInspection/, means: UPSTREAM_FAILURES.unreadablePicture },
  {
    code: /^Invalid(Image|File)\..*(Resolution|Ratio|Size|Dimension)/,
    means: UPSTREAM_FAILURES.unsuitablePicture,
  },
  { code: /^Invalid(URL|Image|File)/, means: UPSTREAM_FAILURES.unreadablePicture },
  { code: /^(InvalidParameter|BadRequest)/, means: UPSTREAM_FAILURES.invalidInput },
  // 503 "Model is unavailable, please try again later": the model takes no requests (Model Studio, error messages).
  { code: /^ModelUnavailable$/, means: "unavailable", isCertainAt5xx: true },
  { code: /^(InternalError\.Timeout|RequestTimeOut)/, means: UPSTREAM_FAILURES.timedOut },
];

/** The meaning of an unsuccessful answer. */
export function refusalOf(answer: Answer): Refusal {
  return refusalBy(RULES, answer, faultAt(answer.body));
}

/** Why a task failed; `output` has its code. */
export function failureOf(output: unknown): Failure {
  return failureBy(RULES, faultAt(output));
}

function faultAt(value: unknown) {
  return { code: textAt(value, "code") ?? "", message: textAt(value, "message") ?? "" };
}
