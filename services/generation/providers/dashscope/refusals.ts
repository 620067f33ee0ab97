/** What DashScope's error codes mean, at submit and in failed tasks alike. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import type { Answer } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import type { Refusal } from "../shared/outcome.ts";
import type { Failure } from "../provider.ts";
import { failureBy, refusalBy } from "../shared/rules.ts";
import type { Rule } from "../shared/rules.ts";

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
  // The wrong path for a model is answered with a user's code.
  { code: /^InvalidParameter/, message: /url error/i, means: "config" },
  { code: /^InvalidParameter\.DataInspection/, means: UPSTREAM_FAILURES.unreadablePicture },
  {
    code: /^Invalid(Image|File)\..*(Resolution|Ratio|Size|Dimension)/,
    means: UPSTREAM_FAILURES.unsuitablePicture,
  },
  { code: /^Invalid(URL|Image|File)/, means: UPSTREAM_FAILURES.unreadablePicture },
  { code: /^(InvalidParameter|BadRequest)/, means: UPSTREAM_FAILURES.invalidInput },
  { code: /^(InternalError\.Timeout|RequestTimeOut)/, means: UPSTREAM_FAILURES.timedOut },
];

/** What an answer that is not a success means. */
export function refusalOf(answer: Answer): Refusal {
  return refusalBy(RULES, answer, faultAt(answer.body));
}

/** Why the task failed; `output` is where its code stands. */
export function failureOf(output: unknown): Failure {
  return failureBy(RULES, faultAt(output));
}

function faultAt(value: unknown) {
  return { code: textAt(value, "code") ?? "", message: textAt(value, "message") ?? "" };
}
