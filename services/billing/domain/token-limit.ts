/** Limits of Tokens in a period, with what is used of them. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  LimitPeriod,
  TokenLimitSchema,
  type TokenLimit,
} from "#gen/proto/media/billing/v1/billing_pb.ts";

export type PeriodName = "day" | "month";

/** A limit and what is used of it, as Postgres returns them in JSON: numbers are decimal strings. */
export type UsedLimit = {
  /** Empty for the limit of the account. */
  keyId: string;
  period: PeriodName;
  tokens: string;
  used: string;
  /** The first day of the period, UTC, e.g. "2026-11-01". */
  startsOn: string;
};

const PERIOD = { day: LimitPeriod.DAY, month: LimitPeriod.MONTH } as const;

/** When the period ends and the limit starts anew: midnight, UTC. */
export function periodEnd({ period, startsOn }: Pick<UsedLimit, "period" | "startsOn">): Date {
  const end = new Date(`${startsOn}T00:00:00Z`);
  if (period === "day") end.setUTCDate(end.getUTCDate() + 1);
  else end.setUTCMonth(end.getUTCMonth() + 1);
  return end;
}

export function toTokenLimit(limit: UsedLimit): TokenLimit {
  return create(TokenLimitSchema, {
    keyId: limit.keyId,
    period: PERIOD[limit.period],
    tokens: BigInt(limit.tokens),
    used: BigInt(limit.used),
    resetsAt: timestampFromDate(periodEnd(limit)),
  });
}
