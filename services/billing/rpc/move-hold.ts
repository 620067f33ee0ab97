/** The shared part of Reserve, Capture and Release: one move of a hold, and its refusals. */
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import type { Move, MoveOutcome } from "../store/moves.ts";
import { overLimit } from "./over-limit.ts";

/** What only a reserve has. */
type Reserved = Pick<Move, "tokens" | "maxOpenHolds" | "keyId">;

const NOTHING: Reserved = { tokens: 0n, maxOpenHolds: 0, keyId: "" };

/** Throws a refusal with a reason of billing.proto. */
export async function moveHold(
  deps: Deps,
  kind: Move["kind"],
  hold: Hold | undefined,
  { tokens, maxOpenHolds, keyId }: Reserved = NOTHING,
): Promise<MoveOutcome> {
  if (!hold) {
    throw refusal({
      reason: ErrorReason.INVALID_FIELD,
      field: "hold",
      message: "hold is required",
    });
  }
  const { accountId, generationId, attempt } = hold;
  const moved = await deps.moveTokens({
    accountId,
    mode: modeName(hold.mode),
    kind,
    generationId,
    attempt,
    tokens,
    maxOpenHolds,
    keyId,
    entryId: deps.newId("txn"),
  });
  deps.metrics.moves.inc({ move: kind, outcome: moved.outcome });
  switch (moved.outcome) {
    case "ok":
      return moved;
    case "too_many":
      throw refusal({
        reason: ErrorReason.TOO_MANY_PENDING,
        message: `The account has reached its limit of ${maxOpenHolds} unfinished generations. Wait until some have ended, then try again.`,
        metadata: { limit: `${maxOpenHolds}` },
      });
    case "insufficient":
      throw refusal({
        reason: ErrorReason.INSUFFICIENT_TOKENS,
        message: `This needs ${tokens} Tokens and ${moved.available} are available. Recharge the balance.`,
        metadata: { required: `${tokens}`, available: `${moved.available}` },
      });
    case "over_limit":
      throw overLimit(tokens, moved.refusedBy);
    case "differs":
      throw refusal({
        reason: ErrorReason.CONTENT_DIFFERS,
        field: "tokens",
        message: `this hold was reserved with ${moved.tokens} Tokens, not ${tokens}`,
        metadata: { tokens: `${moved.tokens}` },
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
