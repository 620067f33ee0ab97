/** What follows from an attempt to deliver a webhook. */
import { addMs } from "#runtime/clock.ts";
import type { Verdict } from "../store/webhook-attempts.ts";
import type { ClaimedDelivery } from "../store/webhook-claims.ts";
import { nextAttemptAt } from "../domain/schedule.ts";
import type { Answer } from "./send.ts";

const GONE = 410;

/**
 * Any 2xx is success; 410 stops the URL; all else, a redirect included, is tried again by the schedule. An attempt
 * that the account asked for stands alone: where it fails, the account asks again.
 */
export function verdictOf(
  delivery: Pick<ClaimedDelivery, "attempt_count" | "redelivered">,
  { at, durationMs, statusCode = 0, retryAfter }: Answer,
  random: () => number,
): Verdict {
  if (statusCode >= 200 && statusCode <= 299) return { status: "delivered" };
  if (statusCode === GONE) return { status: "disabled" };
  if (delivery.redelivered) return { status: "exhausted" };
  const attemptsMade = delivery.attempt_count + 1;
  const next = nextAttemptAt({ attemptsMade, endedAt: addMs(at, durationMs), retryAfter }, random);
  return next ? { status: "pending", nextAttemptAt: next } : { status: "exhausted" };
}
