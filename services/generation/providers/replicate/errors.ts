/** Maps Replicate's errors: free text in which only codes and a few words are stable. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import type { Answer } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import { closed, rateLimited, refusalOfStatus, refused, type Refusal } from "../shared/outcome.ts";
import type { Failure } from "../provider.ts";

const CONTENT = /\(E005\)|nsfw|flagged as sensitive|content (policy|moderation)/i;
const UPSTREAM_FAULT = /\(code: PA\)|\(E003\)|high demand|interrupted/i;
const PICTURE =
  /(download|fetch|load|open|identify|decode)\w{0,9} (the |an? |input )*(image|file|url)/i;
const INPUT =
  /validation|invalid (input|value|prompt|image)|must be (one of|between|less|greater|at)/i;
const RESETS_IN = /resets in ~?(\d+)\s?s/i;
/**
 * Replicate reports a withdrawn version, and an input that the model does not have, as invalid input. An input that a
 * client may leave out is not counted: one client's choice would suspend the upstream for all.
 */
const CONFIG_TITLE = /version/i;
const CONFIG_DETAIL = /^invalid version|additional property (?!seed|negative_prompt)/i;

/** Why a prediction failed. */
export function predictionFailure(text: string): Failure {
  if (CONTENT.test(text)) return UPSTREAM_FAILURES.contentRejected;
  if (UPSTREAM_FAULT.test(text)) return UPSTREAM_FAILURES.failed;
  if (PICTURE.test(text)) return UPSTREAM_FAILURES.unreadablePicture;
  return INPUT.test(text) ? UPSTREAM_FAILURES.invalidInput : UPSTREAM_FAILURES.failed;
}

/** The meaning of an unsuccessful answer to a create. */
export function replicateRefusal(answer: Answer): Refusal {
  const detail = textAt(answer.body, "detail") ?? "";
  if (answer.status === 429) return rateLimited({ ...answer, ...resetOf(detail, answer) });
  if (answer.status !== 422 && answer.status !== 400) return refusalOfStatus(answer);
  if (CONTENT.test(detail)) return refused(UPSTREAM_FAILURES.contentRejected);
  const title = textAt(answer.body, "title") ?? "";
  if (CONFIG_TITLE.test(title) || CONFIG_DETAIL.test(detail)) {
    return closed("config", "the upstream does not know this version or input of the model");
  }
  return refused(UPSTREAM_FAILURES.invalidInput);
}

/** The header is exact, so it takes precedence over the text, which is approximate. */
function resetOf(detail: string, { retryAfterMs }: Answer): { retryAfterMs?: number } {
  const seconds = RESETS_IN.exec(detail)?.[1];
  return retryAfterMs !== undefined || seconds === undefined
    ? {}
    : { retryAfterMs: Number(seconds) * 1000 };
}
