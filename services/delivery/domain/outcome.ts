/** Decides what follows from one attempt to deliver a webhook. */
import { addMs } from "#runtime/clock.ts";
import type { ClaimedDelivery } from "./delivery.ts";
import { nextAttemptAt } from "./schedule.ts";

/** One request to the receiver, as it is recorded: with `statusCode` if it was answered, else with `error`. */
export type Attempt = {
  at: Date;
  durationMs: number;
  statusCode?: number | undefined;
  /** An EgressErrorCode. */
  error?: string | undefined;
  responseBody?: string | undefined;
};

/** An attempt with the response's Retry-After header, which affects the schedule and is not recorded. */
export type SentAttempt = Attempt & { retryAfter?: string | undefined };

/** The delivery's state after an attempt: another attempt at a time, or an end. */
export type Outcome =
  | { status: "pending"; nextAttemptAt: Date }
  | { status: "delivered" | "exhausted" | "disabled" };

const GONE = 410;

/**
 * Any 2xx is success and 410 disables the URL. Everything else, redirects included, is tried again by the schedule,
 * unless the account asked for this attempt: then the schedule goes on as it was, or if it is over, a failed redelivery is
 * exhausted at once (and recorded as delivered if an earlier attempt was). `random` is in [0, 1).
 */
export function outcomeOf(
  delivery: Pick<ClaimedDelivery, "attemptCount" | "redelivered" | "resumeAt">,
  { at, durationMs, statusCode = 0, retryAfter }: SentAttempt,
  random: () => number,
): Outcome {
  if (statusCode >= 200 && statusCode <= 299) return { status: "delivered" };
  if (statusCode === GONE) return { status: "disabled" };
  if (delivery.resumeAt) return { status: "pending", nextAttemptAt: delivery.resumeAt };
  if (delivery.redelivered) return { status: "exhausted" };
  const attemptsMade = delivery.attemptCount + 1;
  const next = nextAttemptAt({ attemptsMade, endedAt: addMs(at, durationMs), retryAfter }, random);
  return next ? { status: "pending", nextAttemptAt: next } : { status: "exhausted" };
}
