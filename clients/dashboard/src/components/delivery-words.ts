/** What a delivery's status leaves open, in words. */
import type { Delivery, Schemas } from "../api/client.ts";
import { timeAgo } from "../data/value-format.ts";

type Facts = Pick<Delivery, "status" | "attempts" | "next_attempt_at">;

/** Whether attempts were made and none was accepted, and more are to come. */
export function isFailing({ status, attempts }: Facts): boolean {
  return status === "pending" && attempts.length > 0;
}

/** When the next attempt is, or why there is none. */
export function detailOf(
  { status, attempts, next_attempt_at: next }: Facts,
  nowMs: number,
): string | undefined {
  switch (status) {
    case "pending": {
      const nth = attempts.length === 0 ? "first" : "next";
      return next && new Date(next).getTime() > nowMs
        ? `${nth} try ${timeAgo(next, nowMs)}`
        : `${nth} try now`;
    }
    case "exhausted":
      return "every try failed";
    case "disabled":
      return "nothing more is sent to this URL";
    case "delivered":
      return undefined;
  }
}

type Answer = Pick<Schemas["WebhookAttempt"], "status_code" | "error">;

/** Why there was no answer, by the code of the attempt. */
const ERRORS: Record<string, string> = {
  blocked_address: "address is not public",
  dns_error: "host not found",
  connection_refused: "connection refused",
  connection_reset: "connection closed",
  tls_error: "no secure connection",
  timeout: "no answer in time",
  too_large_headers: "headers of the answer too large",
};

/** How an attempt was answered, or why it was not. */
export function answerOf({ status_code: status, error = "" }: Answer): string {
  return status === undefined ? (ERRORS[error] ?? "no answer") : `answered ${status}`;
}
