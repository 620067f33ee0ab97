/** The refusal of a reserve that a limit of Tokens does not allow. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { periodEnd } from "../domain/token-limit.ts";
import type { UsedLimit } from "../domain/token-limit.ts";

export function overLimit(required: bigint, limit: UsedLimit | null): Error {
  if (!limit) throw new Error("a reserve that is over a limit names the limit");
  const { keyId, period, tokens, used } = limit;
  const resetsAt = periodEnd(limit).toISOString();
  const scope = keyId === "" ? "account" : "key";
  return refusal({
    reason: ErrorReason.TOKEN_LIMIT_REACHED,
    message: `This needs ${required} Tokens, and ${used} of the ${scope}'s limit of ${tokens} a ${period} are used. The limit starts anew at ${resetsAt}. Wait until then, or raise it in the dashboard.`,
    metadata: {
      required: `${required}`,
      key_id: keyId,
      period,
      tokens,
      used,
      resets_at: resetsAt,
    },
  });
}
