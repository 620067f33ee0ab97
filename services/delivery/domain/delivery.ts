/** Webhook deliveries: rows, and what follows from one attempt. */
import type { JsonValue } from "@bufbuild/protobuf";
import { addMs } from "#runtime/clock.ts";
import { retryAfterMs } from "#runtime/retry-after.ts";
import type { DeliveryStatusName } from "#vocabulary/names.ts";
import type { Owner } from "./file.ts";

export type DeliveryRow = {
  id: string;
  eventId: string;
  type: string;
  /** Null for a test event and an alert. */
  generationId: string | null;
  url: string;
  status: DeliveryStatusName;
  nextAttemptAt: Date | null;
  createdAt: Date;
  /** Oldest first, as the JSON of their message. */
  attempts: JsonValue[];
};

/** A delivery that one sender alone may attempt until its lease ends. */
export type ClaimedDelivery = Owner & {
  id: string;
  eventId: string;
  url: string;
  host: string;
  body: Buffer;
  /** Attempts made before this one. */
  attemptCount: number;
  /** The account asked for this attempt; if it fails, no other follows. */
  redelivered: boolean;
  /** The account asked for this attempt while the schedule goes on: when the next one of the schedule is due. */
  resumeAt: Date | null;
  /** Also the number of the attempt. */
  fence: bigint;
  /** The request that the webhook is the answer to, and its trace. */
  requestId: string | null;
  traceparent: string | null;
};

/** One request to the receiver, as it is recorded: with `statusCode` if it was answered, else with `error`. */
export type Attempt = {
  at: Date;
  durationMs: number;
  statusCode?: number | undefined;
  /** An EgressErrorCode. */
  error?: string | undefined;
  responseBody?: string | undefined;
  /** The response's header, which affects the schedule and is not recorded. */
  retryAfter?: string | undefined;
};

/** The delivery's state after an attempt: another attempt at a time, or an end. */
export type Outcome =
  | { status: "pending"; nextAttemptAt: Date }
  | { status: "delivered" | "exhausted" | "disabled" };

const GONE = 410;
/** The waits after the first attempt, the second, and so on. The attempt after the last wait is the last one. */
const WAITS_MS = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1_000);
const JITTER = 0.2;
const MAX_RETRY_AFTER_FACTOR = 2;

/**
 * Any 2xx is success and 410 disables the URL. Everything else, redirects included, is tried again by the schedule. A
 * redelivery that the account asked for has no schedule of its own: the running one goes on, else it is exhausted.
 * A Retry-After header can make the wait longer, up to twice the planned one, but never shorter. `random` is in [0, 1).
 */
export function outcomeOf(
  delivery: Pick<ClaimedDelivery, "attemptCount" | "redelivered" | "resumeAt">,
  { at, durationMs, statusCode = 0, retryAfter }: Attempt,
  random: () => number,
): Outcome {
  if (statusCode >= 200 && statusCode <= 299) return { status: "delivered" };
  if (statusCode === GONE) return { status: "disabled" };
  if (delivery.resumeAt) return { status: "pending", nextAttemptAt: delivery.resumeAt };
  if (delivery.redelivered) return { status: "exhausted" };
  const plannedMs = WAITS_MS[delivery.attemptCount];
  if (plannedMs === undefined) return { status: "exhausted" };
  const endedAt = addMs(at, durationMs);
  const jitteredMs = plannedMs * (1 - JITTER + 2 * JITTER * random());
  const requestedMs = retryAfterMs(retryAfter, endedAt) ?? 0;
  const waitMs = Math.max(jitteredMs, Math.min(requestedMs, MAX_RETRY_AFTER_FACTOR * plannedMs));
  return { status: "pending", nextAttemptAt: addMs(endedAt, Math.round(waitMs)) };
}
