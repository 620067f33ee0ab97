/** Limits of Tokens in a period, with what is used of them, and whom they are for. */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  LimitPeriod,
  TokenLimitSchema,
  type TokenLimit,
} from "#gen/proto/media/billing/v1/billing_pb.ts";

/** A limit and what is used of it, as Postgres returns them in JSON: numbers are decimal strings. */
export type UsedLimit = {
  /** Empty for the limit of the account, the id of a key, or `EACH_END_USER`. */
  countedFor: string;
  period: "day" | "month";
  tokens: string;
  used: string;
  /** The first day of the period, UTC, e.g. "2026-11-01". */
  startsOn: string;
};

/** The limits that each end user of an account has on their own. */
export const EACH_END_USER = "user_";

/** The name that an end user is counted under: billing does not keep who it is. */
export function endUserName(accountId: string, endUser: string): string {
  const hash = createHash("sha256").update(`${accountId} ${endUser}`).digest("hex");
  return EACH_END_USER + hash.slice(0, 32);
}

const PERIOD = { day: LimitPeriod.DAY, month: LimitPeriod.MONTH } as const;

/** When the period ends and the limit starts anew: midnight, UTC. */
export function periodEnd({ period, startsOn }: Pick<UsedLimit, "period" | "startsOn">): Date {
  const end = new Date(`${startsOn}T00:00:00Z`);
  if (period === "day") end.setUTCDate(end.getUTCDate() + 1);
  else end.setUTCMonth(end.getUTCMonth() + 1);
  return end;
}

export function toTokenLimit(limit: UsedLimit): TokenLimit {
  const perEndUser = limit.countedFor === EACH_END_USER;
  return create(TokenLimitSchema, {
    keyId: perEndUser ? "" : limit.countedFor,
    perEndUser,
    period: PERIOD[limit.period],
    tokens: BigInt(limit.tokens),
    used: BigInt(limit.used),
    resetsAt: timestampFromDate(periodEnd(limit)),
  });
}
