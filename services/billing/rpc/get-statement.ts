/** GetStatement: opening balance, sums by type and closing balance of a period. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName } from "#runtime/mode.ts";
import { transactionTypeOf } from "#runtime/transaction-type.ts";
import type { Deps } from "../deps.ts";
import { heldBefore, statementLines } from "../store/statements.ts";

export function getStatement(deps: Deps): ServiceImpl<typeof BillingService>["getStatement"] {
  return async ({ accountId, mode, from, to }) => {
    const now = deps.clock.now();
    const [begin, end] = [from ? timestampDate(from) : now, to ? timestampDate(to) : now];
    const name = modeName(mode);
    const [opening, lines] = await Promise.all([
      heldBefore(deps.sql, accountId, name, { at: begin, now }),
      statementLines(deps.sql, accountId, name, begin, end),
    ]);
    return {
      opening,
      closing: lines.reduce((sum, { tokens }) => sum + tokens, opening),
      lines: lines.map(({ type, count, tokens }) => ({
        type: transactionTypeOf(type),
        count,
        tokens,
      })),
    };
  };
}
