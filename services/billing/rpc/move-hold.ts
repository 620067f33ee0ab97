/** What Reserve, Capture and Release share: one move of a hold, and its refusals. */
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import type { Move, Verdict } from "../store/moves.ts";

/** Moves the hold, or refuses with the reason that billing.proto names. Only reserve has a price and a limit. */
export async function moveHold(
  deps: Deps,
  kind: Move["kind"],
  hold: Hold | undefined,
  tokens = 0n,
  maxOpenHolds = 0,
): Promise<Verdict> {
  if (!hold) {
    throw refusal({
      reason: ErrorReason.INVALID_FIELD,
      field: "hold",
      message: "hold is required",
    });
  }
  const { generationId, attempt } = hold;
  const move = { kind, generationId, attempt, tokens, maxOpenHolds, entryId: deps.newId("txn") };
  const verdict = await deps.moveTokens(hold.accountId, modeName(hold.mode), move);
  switch (verdict.verdict) {
    case "ok":
      return verdict;
    case "too_many":
      throw refusal({
        reason: ErrorReason.TOO_MANY_PENDING,
        message: `the account has ${maxOpenHolds} unfinished generations or more, as many as it may have; wait until some have ended, then try again`,
        metadata: { limit: `${maxOpenHolds}` },
      });
    case "insufficient":
      throw refusal({
        reason: ErrorReason.INSUFFICIENT_TOKENS,
        message: `this needs ${tokens} Tokens and ${verdict.available} are available; recharge the balance`,
        metadata: { required: `${tokens}`, available: `${verdict.available}` },
      });
    case "differs":
      throw refusal({
        reason: ErrorReason.CONTENT_DIFFERS,
        field: "tokens",
        message: `this hold was reserved with ${verdict.tokens} Tokens, not ${tokens}`,
        metadata: { tokens: `${verdict.tokens}` },
      });
    case "resolved":
      throw refusal({
        reason: ErrorReason.HOLD_RESOLVED,
        field: "hold",
        message: `this hold was resolved the other way; ${kind} comes too late`,
      });
    case "missing":
      throw refusal({
        reason: ErrorReason.NOT_FOUND,
        field: "hold",
        message: "there is no such hold",
      });
  }
}
