/** Operations on balances, usage, transactions, statements and charges, also as CSV. */
import { Readable } from "node:stream";
import { csvLine, type Cell } from "#runtime/csv.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { operations } from "#gen/openapi/dashboard.ts";
import { transactionTypeOf, kindName } from "#vocabulary/names.ts";
import { present } from "#vocabulary/public-generation.ts";
import {
  presentGroup,
  presentTransaction,
  presentTransactionType,
  readBalance,
  readUsage,
} from "../../edge/operations/balance.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import type { DashboardCall, DashboardOperation, Schemas } from "../session/sessions.ts";
import type { Charge } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ownerOf, readPage, presentPage, publicOf } from "../../edge/operations/operation.ts";
import * as store from "../../store/store.ts";

/** `read` reads the page after `after`; its `next` is undefined for the last one. The header is the columns' names. */
async function sendCsv<Column extends string>(
  { request, reply }: DashboardCall,
  fileName: string,
  columns: readonly Column[],
  read: (after?: string) => Promise<{
    rows: readonly { [name in Column]?: Cell }[];
    next: string | undefined;
  }>,
): Promise<unknown> {
  void reply
    .type("text/csv; charset=utf-8")
    .header("content-disposition", `attachment; filename="${fileName}"`);
  if (request.method === "HEAD") return "";
  // Read before the response begins, so that an error can still become an error response.
  const first = await read();
  async function* text() {
    yield csvLine(columns);
    for (let page = first; ; page = await read(page.next)) {
      yield page.rows.map((row) => csvLine(columns.map((name) => row[name]))).join("");
      if (page.next === undefined) return;
      await request.admitAgain?.();
    }
  }
  return reply.send(Readable.from(text()));
}

const TRANSACTIONS_A_PAGE = 100;
const TRANSACTION_COLUMNS = [
  "created_at",
  "id",
  "type",
  "tokens",
  "available_after",
  "generation_id",
  "note",
  "charged",
] as const;

type DownloadQuery = operations["downloadTransactions"]["parameters"]["query"];

export const downloadTransactions: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { month, type } = request.query as DownloadQuery;
  const { mode } = callerOf(request);
  const filter = {
    ...ownerOf(request),
    limit: TRANSACTIONS_A_PAGE,
    ...(type && { type: transactionTypeOf(type) }),
    ...(month && { createdFrom: spanOf(month).from, createdBefore: spanOf(month).to }),
  };
  const span = month ?? deps.clock.now().toISOString().slice(0, 10);
  const fileName = `transactions-${mode}-${span}.csv`;
  return sendCsv(call, fileName, TRANSACTION_COLUMNS, async (after) => {
    const page = await deps.billing.listTransactions({ ...filter, ...(after && { after }) });
    const rows = page.transactions.map(presentTransaction);
    return { rows, next: page.hasMore ? rows.at(-1)?.id : undefined };
  });
};

/** `month` is yyyy-mm; `to` is exclusive, the start of the next month. */
function spanOf(month: string) {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const begin = (index: number) => timestampFromDate(new Date(Date.UTC(year, index)));
  return { from: begin(number - 1), to: begin(number) };
}

export const retrieveStatement: DashboardOperation = async ({ deps, request }) => {
  const { month } = request.query as { month: string };
  const { lines, ...balances } = await deps.billing.getStatement({
    ...ownerOf(request),
    ...spanOf(month),
  });
  return {
    ...publicOf(balances),
    object: "statement",
    mode: callerOf(request).mode,
    month,
    lines: lines.map((line) => ({ ...publicOf(line), type: presentTransactionType(line.type) })),
  } satisfies Schemas["Statement"];
};

/** `after` is the last generation of the previous page. */
async function readCharges(
  { deps, request }: DashboardCall,
  { month, limit, after }: { month: string; limit: number; after?: string | undefined },
): Promise<{ charges: Schemas["Charge"][]; hasMore: boolean }> {
  const owner = ownerOf(request);
  const { charges, hasMore } = await readPage(
    deps.generation.listCharges({ ...owner, ...spanOf(month), limit, after }),
  );
  const ids = charges.map(({ keyId }) => keyId);
  const names = await store.findKeyNames(deps.sql, owner.accountId, ids);
  return { charges: charges.map((charge) => presentCharge(charge, names)), hasMore };
}

/** The fields that name a key; none for the playground, and no name for a key that is gone. */
export function presentKey(keyId: string, names: ReadonlyMap<string, string>) {
  return { ...(keyId && { key_id: keyId }), ...present("key_name", names.get(keyId)) };
}

function presentCharge(charge: Charge, names: ReadonlyMap<string, string>): Schemas["Charge"] {
  const { keyId, endUser, ...rest } = charge;
  return {
    ...publicOf(rest),
    kind: kindName(charge.kind),
    ...presentKey(keyId, names),
    ...(endUser && { end_user: endUser }),
  };
}

export const listCharges: DashboardOperation = async (call) => {
  const query = call.request.query as Parameters<typeof readCharges>[1];
  const { charges, hasMore } = await readCharges(call, query);
  return presentPage(charges, hasMore) satisfies Schemas["ChargeList"];
};

const CHARGES_A_PAGE = 500;

export const downloadCharges: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { month } = request.query as { month: string };
  const { mode } = callerOf(request);
  const fileName = `charges-${mode}-${month}.csv`;
  const { schemas } = deps.dashboardContract.document.components;
  const { properties } = schemas["Charge"] as { properties: object };
  const columns = Object.keys(properties) as (keyof Schemas["Charge"])[];
  return sendCsv(call, fileName, columns, async (after) => {
    const page = { month, limit: CHARGES_A_PAGE, after };
    const { charges, hasMore } = await readCharges(call, page);
    return { rows: charges, next: hasMore ? charges.at(-1)?.generation_id : undefined };
  });
};

export const listBalances: DashboardOperation = async (call) => {
  const balances = await Promise.all([readBalance(call, "live"), readBalance(call, "test")]);
  return presentPage(balances) satisfies Schemas["BalanceList"];
};

type GroupsQuery = operations["listUsageGroups"]["parameters"]["query"];

export const listUsageGroups: DashboardOperation = async (call) => {
  const { accountId } = callerOf(call.request);
  const { group_by: groupBy } = call.request.query as GroupsQuery;
  const { usage, ...days } = await readUsage(call, groupBy === "day" ? undefined : groupBy);
  const charged = usage.filter(({ generations }) => generations > 0n);
  const ids = groupBy === "key" ? charged.map(({ keyId }) => keyId) : [];
  const names = await store.findKeyNames(call.deps.sql, accountId, ids);
  const data = charged
    .map((group) => ({
      ...presentGroup(group),
      ...present("key_name", names.get(group.keyId)),
      tokens: Number(group.tokens),
      generations: Number(group.generations),
    }))
    .toSorted((a, b) => b.tokens - a.tokens);
  return { object: "usage.groups", ...days, data } satisfies Schemas["UsageGroups"];
};
