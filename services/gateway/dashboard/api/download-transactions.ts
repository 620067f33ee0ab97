/** downloadTransactions: GET /accounts/{account_id}/transactions.csv. */
import type { FastifyRequest } from "fastify";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { csvLine } from "#runtime/csv.ts";
import { modeOf } from "#runtime/mode.ts";
import { monthOf } from "../../domain/month.ts";
import { presentTransaction } from "../../presenters/transaction.ts";
import { callerOf } from "../../http/request-state.ts";
import { sendCsv } from "../csv-download.ts";
import type { DashboardDeps } from "../deps.ts";
import type { DashboardOperation } from "./operation.ts";

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

export const downloadTransactions: DashboardOperation = (deps) => async (request, reply) => {
  const { month } = request.query as { month: string };
  const { mode } = callerOf(request);
  const name = `transactions-${mode}-${month}.csv`;
  return sendCsv(request, reply, name, csvPages(deps, request, month));
};

/** The CSV of a month, one page of transactions at a time. */
async function* csvPages(
  { billing }: DashboardDeps,
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
