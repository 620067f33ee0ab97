/** Operations on the transactions of an account. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { operations } from "#gen/openapi/dashboard.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { transactionTypeOf } from "#vocabulary/transaction-type.ts";
import { monthOf } from "../../domain/month.ts";
import { presentTransaction, presentTransactionType } from "../../edge/presenters/balance.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { sendCsv } from "../session/csv-download.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";

const PAGE_SIZE = 100;
const COLUMNS = [
  "created_at",
  "id",
  "type",
  "tokens",
  "available_after",
  "generation_id",
  "note",
] as const;

type DownloadQuery = operations["downloadTransactions"]["parameters"]["query"];

export const downloadTransactions: DashboardOperation =
  ({ billing }) =>
  async (request, reply) => {
    const { month, type } = request.query as DownloadQuery;
    const { accountId, mode } = callerOf(request);
    const filter = {
      accountId,
      mode: modeOf(mode),
      limit: PAGE_SIZE,
      ...(type && { type: transactionTypeOf(type) }),
      ...(month && spanOf(month)),
    };
    const fileName = `transactions-${mode}${month ? `-${month}` : ""}.csv`;
    return sendCsv(request, reply, fileName, COLUMNS, async (after?: string) => {
      const page = await billing.listTransactions({ ...filter, ...(after && { after }) });
      const rows = page.transactions.map(presentTransaction);
      return { rows, next: page.hasMore ? rows.at(-1)?.id : undefined };
    });
  };

function spanOf(month: string) {
  const { from, to } = monthOf(month);
  return { createdFrom: timestampFromDate(from), createdBefore: timestampFromDate(to) };
}

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
