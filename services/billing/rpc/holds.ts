/** The RPCs on holds: Reserve, Capture, Release, and what Reconcile reads. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { invalidField, notFound, refusal } from "#runtime/rpc/errors.ts";
import { EACH_END_USER, endUserName, periodEnd, type UsedLimit } from "../domain/token-limit.ts";
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName, modeOf, type ModeName } from "#vocabulary/names.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { checkHolds, listOpenHolds, type HoldName, type Move } from "../store/moves.ts";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";

function overLimit(required: bigint, limit: UsedLimit | null): Error {
  if (!limit) throw new Error("a reserve that is over a limit names the limit");
  const { countedFor, period, tokens, used } = limit;
  const resetsAt = periodEnd(limit).toISOString();
  const scope = countedFor === "" ? "account" : countedFor === EACH_END_USER ? "end_user" : "key";
  const remedy =
    required > BigInt(tokens)
      ? "The limit is lower than this price: raise it in the dashboard."
      : `The limit starts anew at ${resetsAt}. Wait until then, or raise it in the dashboard.`;
  return refusal({
    reason: ErrorReason.TOKEN_LIMIT_REACHED,
    message: `This needs ${required} Tokens, and ${used} of the ${scope.replace("_", " ")}'s limit of ${tokens} a ${period} are used. ${remedy}`,
    metadata: {
      required: `${required}`,
      scope,
      key_id: scope === "key" ? countedFor : "",
      period,
      tokens,
      used,
      resets_at: resetsAt,
    },
  });
}

/** Users ask for live Tokens themselves. */
const MORE_TOKENS: Readonly<Record<ModeName, string>> = {
  live: "Request more in the dashboard, under Overview.",
  test: "Ask the operator of this service for more test Tokens.",
};

function reservedBeside(tokens: bigint): string {
  return tokens === 0n ? "" : `; unfinished generations have ${tokens} reserved`;
}

/** What only a reserve has, but for the Tokens of a capture and the server of the row. */
type Asked = Pick<Move, "tokens" | "maxOpenHolds" | "keyId" | "endUser" | "rowServer">;

/** What a capture and a release have of it. */
const RESOLVED = { tokens: null, maxOpenHolds: 0, keyId: null, endUser: null };

function holdName({ accountId, mode, generationId, attempt }: Hold): HoldName {
  return { accountId, mode: modeName(mode), generationId, attempt };
}

/** Throws a refusal with a reason of billing.proto. */
async function moveHold(deps: Deps, kind: Move["kind"], hold: Hold | undefined, asked: Asked) {
  if (!hold) throw invalidField("hold", "hold is required");
  const { tokens, maxOpenHolds } = asked;
  const entryId = deps.newId("txn");
  const moved = await deps.moveTokens({ ...holdName(hold), kind, ...asked, entryId });
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
        message: `This needs ${tokens} Tokens and ${moved.available} are available${reservedBeside(moved.reserved)}. ${MORE_TOKENS[modeName(hold.mode)]}`,
        metadata: { required: `${tokens}`, available: `${moved.available}` },
      });
    case "over_limit":
      throw overLimit(tokens ?? 0n, moved.refusedBy);
    case "differs":
      throw refusal({
        reason: ErrorReason.CONTENT_DIFFERS,
        field: "tokens",
        message: `this hold has ${moved.tokens} Tokens, not ${tokens}, or is of another key or end user`,
        metadata: { tokens: `${moved.tokens}` },
      });
    case "resolved":
      throw refusal({
        reason: ErrorReason.HOLD_RESOLVED,
        field: "hold",
        message: `this hold is resolved; ${kind} comes too late`,
      });
    case "missing":
      throw notFound("hold", "there is no such hold");
  }
}

export const holdRpcs = (deps: Deps) =>
  ({
    async reserve({ hold, tokens, maxOpenHolds, keyId, endUser, rowServerStartedUs }) {
      const reserved = {
        tokens,
        maxOpenHolds,
        keyId: keyId || null,
        endUser: hold && endUser ? endUserName(hold.accountId, endUser) : null,
        rowServer: rowServerStartedUs,
      };
      const moved = await moveHold(deps, "reserve", hold, reserved);
      return {
        balance: { available: moved.available, reserved: moved.reserved },
        reservedAt: timestampFromDate(moved.reservedAt ?? deps.clock.now()),
      };
    },
    async capture({ hold, tokens = null, rowServerStartedUs: rowServer }) {
      const moved = await moveHold(deps, "capture", hold, { ...RESOLVED, tokens, rowServer });
      return { tokens: moved.tokens };
    },
    async release({ hold, rowServerStartedUs: rowServer }) {
      const moved = await moveHold(deps, "release", hold, { ...RESOLVED, rowServer });
      return { tokens: moved.tokens };
    },
    checkHolds: async ({ holds }) => ({ open: await checkHolds(deps.sql, holds.map(holdName)) }),
    async listOpenHolds({ createdBefore, after, limit }) {
      const before = createdBefore ? timestampDate(createdBefore) : deps.clock.now();
      const rows = await listOpenHolds(deps.sql, before, after && holdName(after), limit);
      return { holds: rows.map((row) => ({ ...row, mode: modeOf(row.mode) })) };
    },
  }) satisfies Partial<Rpcs>;
