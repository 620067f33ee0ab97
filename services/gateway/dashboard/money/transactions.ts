/** Operations on the transactions of an account. */
import type { FastifyRequest } from "fastify";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { csvLine } from "#runtime/csv.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { monthOf } from "../../domain/month.ts";
import { presentTransaction, presentTransactionType } from "../../edge/presenters/balance.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { sendCsv } from "../session/csv-download.ts";
import type { SessionDeps } from "../session/deps.ts";
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

/** downloadTransactions: GET /accounts/{account_id}/transactions.csv. */
export const downloadTransactions: DashboardOperation = (deps) => async (request, reply) => {
  const { month } = request.query as { month: string };
  const { mode } = callerOf(request);
  const name = `transactions-${mode}-${month}.csv`;
  return sendCsv(request, reply, name, csvPages(deps, request, month));
};

/** The CSV of a month, one page of transactions at a time. */
async function* csvPages(
  { billing }: SessionDeps,
  request: FastifyRequest,
  month: string,
): AsyncGenerator<string, void> {
  const { accountId, mode } = callerOf(request);
  const { from, to } = monthOf(month);
  const filter = {
    accountId,
    mode: modeOf(mode),
    limit: PAGE_SIZE,
    createdFrom: timestampFromDate(from),
    createdBefore: timestampFromDate(to),
  };
  let after: string | undefined;
  let header = csvLine(COLUMNS);
  let hasMore = true;
  while (hasMore) {
    const cursor = after === undefined ? {} : { after };
    const page = await billing.listTransactions({ ...filter, ...cursor });
    const rows = page.transactions.map(presentTransaction);
    yield header + rows.map((row) => csvLine(COLUMNS.map((name) => row[name]))).join("");
    header = "";
    after = rows.at(-1)?.id;
    hasMore = page.hasMore;
  }
}

/** retrieveStatement: GET /accounts/{account_id}/statement. */
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
