/** What a delivery's status leaves open, in words. */
import type { Delivery, Schemas } from "../api/client.ts";
import { counted, dateTime, timeAgo } from "../data/value-format.ts";

type Facts = Pick<Delivery, "status" | "attempts" | "next_attempt_at">;

/** Whether attempts were made and none was accepted, and more are to come. */
export function isFailing({ status, attempts }: Facts): boolean {
  const isAccepted = attempts.some(({ status_code: code = 0 }) => code >= 200 && code < 300);
  return status === "pending" && attempts.length > 0 && !isAccepted;
}

/** How many are failing, and since when; nothing where none is. `newest` are those that are loaded, newest first. */
export function failingText(newest: readonly Facts[], hasMore: boolean): string | undefined {
  const since = newest.at(-1)?.attempts[0]?.at;
  if (since === undefined) return undefined;
  const count = counted(newest.length, "webhook");
  return hasMore
    ? `More than ${count} are failing: no attempt was accepted, and we try again.`
    : `Not accepted yet: ${count}, first tried ${dateTime(since)}. We try again.`;
}

const ENDS = { exhausted: "every try failed", disabled: "nothing more is sent to this URL" };

/** When the next attempt is, or why there is none. */
export function detailOf(
  { status, attempts, next_attempt_at: next }: Facts,
  nowMs: number,
): string | undefined {
  if (status === "delivered") return undefined;
  if (status !== "pending") return ENDS[status];
  const nth = attempts.length === 0 ? "first" : "next";
  const isLater = next && new Date(next).getTime() > nowMs;
  return `${nth} try ${isLater ? timeAgo(next, nowMs) : "now"}`;
}

type Answer = Pick<Schemas["WebhookAttempt"], "status_code" | "error">;

/** Why there was no answer, by the code of the attempt, where that does not say it. */
const ERRORS: Record<string, string> = {
  blocked_address: "address is not public",
  dns_error: "host not found",
  tls_error: "no secure connection",
};

/** How an attempt was answered; or why it was not, also by the code that the API has. */
export function answerOf({ status_code: status, error = "" }: Answer): string {
  if (status !== undefined) return `answered ${status}`;
  const words = ERRORS[error];
  return words ? `${words} (${error})` : error || "no answer";
}
