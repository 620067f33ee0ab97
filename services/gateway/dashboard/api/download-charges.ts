/** downloadCharges: GET /accounts/{account_id}/charges.csv. */
import type { FastifyRequest } from "fastify";
import { csvLine } from "#runtime/csv.ts";
import { callerOf } from "../../http/request-state.ts";
import { readCharges } from "../charges.ts";
import { sendCsv } from "../csv-download.ts";
import type { DashboardDeps } from "../deps.ts";
import type { DashboardOperation } from "./operation.ts";

const PAGE_SIZE = 500;
const COLUMNS = [
  "charged_at",
  "generation_id",
  "kind",
  "model",
  "prompt",
  "key_id",
  "key_name",
  "tokens",
  "created_at",
] as const;

export const downloadCharges: DashboardOperation = (deps) => async (request, reply) => {
  const { month } = request.query as { month: string };
  const { mode } = callerOf(request);
  return sendCsv(request, reply, `charges-${mode}-${month}.csv`, csvPages(deps, request, month));
};

/** The CSV of a month, one page of charges at a time. */
async function* csvPages(
  deps: DashboardDeps,
  request: FastifyRequest,
  month: string,
): AsyncGenerator<string, void> {
  let after: string | undefined;
  let header = csvLine(COLUMNS);
  let isLast = false;
  while (!isLast) {
    const { charges, hasMore } = await readCharges(deps, request, {
      month,
      limit: PAGE_SIZE,
      after,
    });
    yield header + charges.map((row) => csvLine(COLUMNS.map((name) => row[name]))).join("");
    header = "";
    after = charges.at(-1)?.generation_id;
    isLast = !hasMore;
  }
}
