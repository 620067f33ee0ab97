/** The RPCs on a balance: read, recharge, adjust. */
import type { HandlerContext } from "@connectrpc/connect";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeName } from "#vocabulary/names.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { toTokenLimit } from "../domain/token-limit.ts";
import { creditBalance, readBalance, type Credit } from "../store/balances.ts";
import { listTokenLimits } from "../store/account-settings.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { callerKey } from "#runtime/rpc/server/access.ts";

/** The account's limits, not those of its keys and end users. */
const OF_THE_ACCOUNT = "";

export const balanceRpcs = (deps: Deps) =>
  ({
    async getBalance({ accountId, mode }) {
      const at = deps.clock.now();
      const owner = { accountId, mode: modeName(mode) };
      const { hasLimits, ...balance } = await readBalance(deps.sql, owner, at);
      if (!hasLimits) return { balance };
      const limits = await listTokenLimits(deps.sql, accountId, at, OF_THE_ACCOUNT);
      return { balance, limits: limits.map(toTokenLimit) };
    },
    recharge: (request, context) =>
      credit(deps, context, { ...request, type: "recharge", note: request.note || null }),
    adjust: (request, context) =>
      credit(deps, context, { ...request, type: "adjustment", note: request.reason }),
  }) satisfies Partial<Rpcs>;

async function credit(
  deps: Deps,
  context: HandlerContext,
  it: Pick<Credit, "accountId" | "type" | "tokens" | "note"> & { mode: Mode; reference: string },
) {
  const { type, tokens, reference } = it;
  const row = await creditBalance(deps.sql, {
    ...it,
    mode: modeName(it.mode),
    transactionId: deps.newId("txn"),
    reference: reference || null,
    actor: context.values.get(callerKey),
    at: deps.clock.now(),
  });
  const { outcome, transactionId, available, reserved } = row;
  if (outcome === "insufficient") {
    throw refusal({
      reason: ErrorReason.INSUFFICIENT_TOKENS,
      field: "tokens",
      message: `only ${available} Tokens are available, so ${-tokens} cannot be deducted`,
      metadata: { required: `${-tokens}`, available: `${available}` },
    });
  }
  if (outcome === "differs" || outcome === "other_type") {
    const isAmount = outcome === "differs";
    const other = type === "recharge" ? "an adjustment" : "a recharge";
    throw refusal({
      reason: ErrorReason.CONTENT_DIFFERS,
      field: isAmount ? "tokens" : "reference",
      message: `the reference "${reference}" was used before ${isAmount ? "with another amount" : `for ${other}`}`,
    });
  }
  return { transactionId, balance: { available, reserved }, repeated: outcome === "repeated" };
}
