/** What a delivery's status leaves open, in words. */
import type { Schemas } from "../api/client.ts";
import { timeAgo } from "./value-format.ts";

export type DeliveryFacts = Pick<
  Schemas["WebhookDelivery"],
  "status" | "attempts" | "next_attempt_at"
>;

/** Whether attempts were made and none was accepted, and more are to come. */
export function isFailing({ status, attempts }: DeliveryFacts): boolean {
  return status === "pending" && attempts.length > 0;
}

/** When the next attempt is, or why there is none. */
export function detailOf(
  { status, attempts, next_attempt_at: next }: DeliveryFacts,
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

/** How the last attempt was answered; undefined where there is none. */
export function lastAnswerOf({ attempts }: Pick<DeliveryFacts, "attempts">): string | undefined {
  const last = attempts.at(-1);
  if (!last) return undefined;
  return last.status_code === undefined
    ? `no answer: ${last.error ?? "unknown"}`
    : `answered ${last.status_code}`;
}
