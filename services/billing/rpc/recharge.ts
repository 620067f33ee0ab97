/** Recharge: an operator credits Tokens. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { callerKey } from "#runtime/rpc/access.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { rechargeBalance } from "../store/balances.ts";

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
