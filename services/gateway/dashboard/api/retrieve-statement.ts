/** retrieveStatement: GET /accounts/{account_id}/statement. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { modeOf } from "#runtime/mode.ts";
import { monthOf } from "../../domain/month.ts";
import { presentTransactionType } from "../../presenters/transaction.ts";
import { callerOf } from "../../http/request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const retrieveStatement: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const { month } = request.query as { month: string };
  const { from, to } = monthOf(month);
  const { opening, closing, lines } = await deps.billing.getStatement({
    accountId,
    mode: modeOf(mode),
    from: timestampFromDate(from),
    to: timestampFromDate(to),
  });
  return {
    object: "statement",
    mode,
    month,
    opening: Number(opening),
    closing: Number(closing),
    lines: lines.map(({ type, count, tokens }) => ({
      type: presentTransactionType(type),
      count: Number(count),
      tokens: Number(tokens),
    })),
  } satisfies Schemas["Statement"];
};
