/** An upstream's error codes as a table, and what its answers and failed jobs mean by it. */
import { UPSTREAM_FAILURES } from "./failures.ts";
import type { Answer } from "./http.ts";
import { closed, rateLimited, refusalOfStatus, refused, unavailable } from "./outcome.ts";
import type { Refusal } from "./outcome.ts";
import type { Failure, OperatorFault } from "../provider.ts";

export type Meaning = Failure | OperatorFault | "rate_limited" | "unavailable" | "failed";

/** The first rule that fits wins; `message` narrows codes that mean several things. */
export type Rule = { code: RegExp; message?: RegExp; means: Meaning };

export type UpstreamFault = { code: string; message: string };

/** What an answer to a create means that is not a success. After a 5xx nothing is certain, whatever its code. */
export function refusalBy(rules: readonly Rule[], answer: Answer, fault: UpstreamFault): Refusal {
  const meaning = answer.status >= 500 ? undefined : meaningBy(rules, fault);
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

/** Why a job that was accepted has failed: what is not the user's is the upstream's fault. */
export function failureBy(rules: readonly Rule[], fault: UpstreamFault): Failure {
  const meaning = meaningBy(rules, fault);
  return typeof meaning === "object" ? meaning : UPSTREAM_FAILURES.failed;
}

function meaningBy(rules: readonly Rule[], fault: UpstreamFault): Meaning | undefined {
  return rules.find(
    ({ code, message }) => code.test(fault.code) && (message?.test(fault.message) ?? true),
  )?.means;
}
