/** The RPCs on a balance: read, recharge, adjust. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { toTokenLimit } from "../domain/token-limit.ts";
import { readBalance, rechargeBalance, adjustBalance } from "../store/balances.ts";
import { listTokenLimits } from "../store/token-limits.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { callerKey } from "#runtime/rpc/server/access.ts";

/** The account's limits, not those of its keys and end users. */
const OF_THE_ACCOUNT = "";

/** GetBalance: the current balance, and the account's limits. */
export function getBalance(deps: Deps): ServiceImpl<typeof BillingService>["getBalance"] {
  return async ({ accountId, mode }) => {
    const at = deps.clock.now();
    const { hasLimits, ...balance } = await readBalance(deps.sql, accountId, modeName(mode), at);
    if (!hasLimits) return { balance };
    const limits = await listTokenLimits(deps.sql, accountId, at, OF_THE_ACCOUNT);
    return { balance, limits: limits.map(toTokenLimit) };
  };
}

/** Recharge: an operator credits Tokens. */
export function recharge(deps: Deps): ServiceImpl<typeof BillingService>["recharge"] {
  return async (request, context) => {
    const row = await rechargeBalance(deps.sql, {
      accountId: request.accountId,
      mode: modeName(request.mode),
      transactionId: deps.newId("txn"),
      tokens: request.tokens,
      reference: request.reference || null,
      note: request.note || null,
      actor: context.values.get(callerKey),
      at: deps.clock.now(),
    });
    if (row.outcome === "differs" || row.outcome === "other_type") {
      const isAmount = row.outcome === "differs";
      throw refusal({
        reason: ErrorReason.CONTENT_DIFFERS,
        field: isAmount ? "tokens" : "reference",
        message: `the reference "${request.reference}" was used before ${isAmount ? "with another amount" : "for an adjustment"}`,
      });
    }
    return {
      transactionId: row.transactionId,
      balance: { available: row.available, reserved: row.reserved },
      repeated: row.outcome === "repeated",
    };
  };
}

/** Adjust: an operator corrects a balance by a signed amount. */
export function adjust(deps: Deps): ServiceImpl<typeof BillingService>["adjust"] {
  return async (request, context) => {
    const { tokens, reference } = request;
    const row = await adjustBalance(deps.sql, {
      accountId: request.accountId,
      mode: modeName(request.mode),
      transactionId: deps.newId("txn"),
      tokens,
      reference: reference || null,
      note: request.reason,
      actor: context.values.get(callerKey),
      at: deps.clock.now(),
    });
    switch (row.outcome) {
      case "ok":
      case "repeated":
        return {
          transactionId: row.transactionId,
          balance: { available: row.available, reserved: row.reserved },
          repeated: row.outcome === "repeated",
        };
      case "insufficient":
        throw refusal({
          reason: ErrorReason.INSUFFICIENT_TOKENS,
          field: "tokens",
          message: `only ${row.available} Tokens are available, so ${-tokens} cannot be deducted`,
          metadata: { required: `${-tokens}`, available: `${row.available}` },
        });
      case "differs":
      case "other_type":
        throw refusal({
          reason: ErrorReason.CONTENT_DIFFERS,
          field: row.outcome === "differs" ? "tokens" : "reference",
          message: `the reference "${reference}" was used before for something else`,
        });
    }
  };
}
