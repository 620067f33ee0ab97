/** GetUsage: counts an account's charged Tokens and successful generations by day, model or key. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { MAX_USAGE_DAYS } from "#runtime/max-usage-days.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { usageBy, usageByDayAndModel } from "../store/usage.ts";
import type { UsageGroupName } from "../store/usage.ts";

const GROUPS: Partial<Record<UsageGroup, UsageGroupName>> = {
  [UsageGroup.DAY]: "day",
  [UsageGroup.MODEL]: "model",
  [UsageGroup.KEY]: "key",
};

const MAX_SPAN_MS = MAX_USAGE_DAYS * 24 * 60 * 60_000;

/**
 * Days are UTC; a generation counts on the day it was completed, or created while it runs, from `from` (inclusive) to `to`
 * (exclusive). Errors: INVALID_FIELD (field "to") if the span is empty or longer than MAX_USAGE_DAYS.
 */
export function getUsage({
  sql,
}: Pick<Deps, "sql">): ServiceImpl<typeof GenerationService>["getUsage"] {
  return async ({ accountId, mode, from, to, groupBy }) => {
    const [begin, end] = [from, to].map((time) => (time ? timestampDate(time) : new Date(0)));
    if (!begin || !end || !isSpan(end.getTime() - begin.getTime())) throw invalidSpan();
    const span = { accountId, mode: modeName(mode), from: begin, to: end };
    const group = GROUPS[groupBy];
    return { usage: await (group ? usageBy(sql, group, span) : usageByDayAndModel(sql, span)) };
  };
}

function isSpan(ms: number): boolean {
  return ms > 0 && ms <= MAX_SPAN_MS;
}

function invalidSpan(): Error {
  return refusal({
    reason: ErrorReason.INVALID_FIELD,
    field: "to",
    message: `to must come after from, by at most ${MAX_USAGE_DAYS} days`,
  });
}
