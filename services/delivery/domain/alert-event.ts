/** The webhook event of an alert about Tokens: its type and the exact bytes of its body. */
import type { components } from "#gen/openapi/media.ts";
import type { Alert } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { publicTime } from "#vocabulary/public-time.ts";
import { publicTokenLimit } from "#vocabulary/public-token-limit.ts";

type Schemas = components["schemas"];
type AlertEvent = Schemas["BalanceLowEvent"] | Schemas["LimitReachedEvent"];

export type AlertWebhook = { type: AlertEvent["type"]; body: Buffer };

/** Undefined if a required field is missing. The same alert always has the same bytes. */
export function alertWebhook(alert: Alert): AlertWebhook | undefined {
  const event = alertEvent(alert);
  return event && { type: event.type, body: Buffer.from(JSON.stringify(event)) };
}

function alertEvent({ at, what }: Alert): AlertEvent | undefined {
  if (!at) return undefined;
  const timestamp = publicTime(at);
  switch (what.case) {
    case "lowBalance": {
      const { balance, threshold } = what.value;
      if (!balance) return undefined;
      const available = Number(balance.available);
      const data = { available, reserved: Number(balance.reserved), threshold: Number(threshold) };
      return { type: "balance.low", timestamp, data };
    }
    case "reachedLimit": {
      const { limit, percent } = what.value;
      if (!limit) return undefined;
      const data = { percent, limit: publicTokenLimit(limit) };
      return { type: "limit.reached", timestamp, data };
    }
    default:
      return undefined;
  }
}
