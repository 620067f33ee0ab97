/** Maps an upstream's error codes to refusals and failures by a table of rules. */
import { UPSTREAM_FAILURES } from "./failures.ts";
import type { Answer } from "./http.ts";
import {
  closed,
  rateLimited,
  refusalOfStatus,
  refused,
  unavailable,
  type Refusal,
} from "./outcome.ts";
import type { Failure, OperatorFault } from "../provider.ts";

export type Meaning = Failure | OperatorFault | "rate_limited" | "unavailable" | "failed";

/** The first matching rule applies; `message` narrows codes that have several meanings. */
export type Rule = {
  code: RegExp;
  message?: RegExp;
  means: Meaning;
  /** The upstream documents that a 5xx with this code took nothing on. Without it a 5xx leaves the outcome unknown. */
  isCertainAt5xx?: true;
};

export type UpstreamFault = { code: string; message: string };

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
