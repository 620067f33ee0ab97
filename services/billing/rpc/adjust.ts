/** Adjust: an operator corrects a balance by a signed amount. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { callerKey } from "#runtime/rpc/access.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { adjustBalance } from "../store/balances.ts";

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
