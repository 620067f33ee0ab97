/** The public form of a limit of Tokens, in the gateway's responses and in webhook bodies. */
import type { components } from "#gen/openapi/media.ts";
import { LimitPeriod, type TokenLimit } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { publicTime } from "./public-time.ts";

export function publicTokenLimit(limit: TokenLimit): components["schemas"]["TokenLimit"] {
  if (!limit.resetsAt) throw new Error("a limit has a time when it starts anew");
  return {
    ...(limit.keyId === ""
      ? { scope: limit.perEndUser ? "end_user" : "account" }
      : { scope: "key", key_id: limit.keyId }),
    period: limit.period === LimitPeriod.MONTH ? "month" : "day",
    tokens: Number(limit.tokens),
    used: Number(limit.used),
    resets_at: publicTime(limit.resetsAt),
  };
}
