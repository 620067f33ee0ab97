/** GetUsage: counts an account's charged Tokens and successful generations by day and model. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { usageByDay } from "../store/usage.ts";

const MAX_SPAN_MS = 92 * 24 * 60 * 60_000;

/**
 * Days are UTC; a generation counts on the day it was completed, from `from` (inclusive) to `to` (exclusive). Errors:
 * INVALID_FIELD (field "to") if the span is empty or longer than 92 days.
 */
export function getUsage({
  sql,
}: Pick<Deps, "sql">): ServiceImpl<typeof GenerationService>["getUsage"] {
  return async ({ accountId, mode, from, to }) => {
    const [begin, end] = [from, to].map((time) => (time ? timestampDate(time) : new Date(0)));
    if (!begin || !end || !isSpan(end.getTime() - begin.getTime())) throw invalidSpan();
    return { usage: await usageByDay(sql, accountId, modeName(mode), begin, end) };
  };
}

function isSpan(ms: number): boolean {
  return ms > 0 && ms <= MAX_SPAN_MS;
}

function invalidSpan(): Error {
  return refusal({
    reason: ErrorReason.INVALID_FIELD,
    field: "to",
    message: "to must come after from, by at most 92 days",
  });
}
