/** GetUsage: Tokens charged and generations that succeeded, by day and model. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { usageByDay } from "../store/usage.ts";

const MOST_MS = 92 * 24 * 60 * 60_000;

export function getUsage({
  sql,
}: Pick<Deps, "sql">): ServiceImpl<typeof GenerationService>["getUsage"] {
  return async ({ accountId, mode, from, to }) => {
    const [begin, end] = [from, to].map((time) => (time ? timestampDate(time) : new Date(0)));
    if (!begin || !end || !isSpan(end.getTime() - begin.getTime())) throw notASpan();
    return { usage: await usageByDay(sql, accountId, modeName(mode), begin, end) };
  };
}

function isSpan(ms: number): boolean {
  return ms > 0 && ms <= MOST_MS;
}

function notASpan(): Error {
  return refusal({
    reason: ErrorReason.INVALID_FIELD,
    field: "to",
    message: "to must come after from, by at most 92 days",
  });
}
