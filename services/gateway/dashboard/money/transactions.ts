/** Operations on balances, usage, transactions, statements and charges, also as CSV. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { csvLine } from "#runtime/csv.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { operations } from "#gen/openapi/dashboard.ts";
import { modeOf, transactionTypeOf, kindName } from "#vocabulary/names.ts";
import {
  presentBalance,
  presentTransaction,
  presentTransactionType,
  readUsage,
  spanOfDays,
} from "../../edge/operations/balance.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import type { DashboardDeps, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import type { Charge } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { publicTime } from "#vocabulary/public-values.ts";
import {
  ownerOf,
  readPage,
  required,
  presentPage,
  presentWholeList,
  publicOf,
} from "../../edge/operations/operation.ts";
import * as store from "../../store/store.ts";

type Cell = Parameters<typeof csvLine>[0][number];

/** `read` reads the page after `after`; its `next` is undefined for the last one. The header is the columns' names. */
export async function sendCsv<Column extends string, Position>(
  request: FastifyRequest,
  reply: FastifyReply,
  fileName: string,
  columns: readonly Column[],
  read: (after?: Position) => Promise<{
    rows: readonly { [name in Column]?: Cell }[];
    next: Position | undefined;
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

export const downloadTransactions: DashboardOperation =
  ({ billing }) =>
  async (request, reply) => {
    const { month, type } = request.query as DownloadQuery;
    const { mode } = callerOf(request);
    const filter = {
      ...ownerOf(request),
      limit: TRANSACTIONS_A_PAGE,
      ...(type && { type: transactionTypeOf(type) }),
      ...(month && { createdFrom: spanOf(month).from, createdBefore: spanOf(month).to }),
    };
    const fileName = `transactions-${mode}${month ? `-${month}` : ""}.csv`;
    return sendCsv(request, reply, fileName, TRANSACTION_COLUMNS, async (after?: string) => {
      const page = await billing.listTransactions({ ...filter, ...(after && { after }) });
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

export const retrieveStatement: DashboardOperation = (deps) => async (request) => {
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
export async function readCharges(
  deps: DashboardDeps,
  request: FastifyRequest,
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
  const name = names.get(keyId);
  return {
    ...(keyId === "" ? {} : { key_id: keyId }),
    ...(name === undefined ? {} : { key_name: name }),
  };
}

function presentCharge(charge: Charge, names: ReadonlyMap<string, string>): Schemas["Charge"] {
  const { keyId, endUser, ...rest } = charge;
  return {
    ...publicOf(rest),
    charged_at: publicTime(required(charge.chargedAt)),
    kind: kindName(charge.kind),
    ...presentKey(keyId, names),
    ...(endUser && { end_user: endUser }),
    created_at: publicTime(required(charge.createdAt)),
  };
}

export const listCharges: DashboardOperation = (deps) => async (request) => {
  const query = request.query as Parameters<typeof readCharges>[2];
  const { charges, hasMore } = await readCharges(deps, request, query);
  return presentPage(charges, hasMore) satisfies Schemas["ChargeList"];
};

const CHARGES_A_PAGE = 500;

export const downloadCharges: DashboardOperation = (deps) => async (request, reply) => {
  const { month } = request.query as { month: string };
  const { mode } = callerOf(request);
  const fileName = `charges-${mode}-${month}.csv`;
  const { schemas } = deps.dashboardContract.document.components;
  const { properties } = schemas["Charge"] as { properties: object };
  const columns = Object.keys(properties) as (keyof Schemas["Charge"])[];
  return sendCsv(request, reply, fileName, columns, async (after?: string) => {
    const page = { month, limit: CHARGES_A_PAGE, after };
    const { charges, hasMore } = await readCharges(deps, request, page);
    return { rows: charges, next: hasMore ? charges.at(-1)?.generation_id : undefined };
  });
};

const MODES = ["live", "test"] as const;

export const listBalances: DashboardOperation = (deps) => async (request) => {
  const { accountId } = session.membershipOf(request);
  const balances = await Promise.all(
    MODES.map(async (mode) => {
      const { balance, limits } = await deps.billing.getBalance({ accountId, mode: modeOf(mode) });
      return presentBalance(mode, required(balance), limits, deps.tokenPrice);
    }),
  );
  return presentWholeList(balances) satisfies Schemas["BalanceList"];
};

type GroupsQuery = operations["listUsageGroups"]["parameters"]["query"];

export const listUsageGroups: DashboardOperation = (deps) => async (request) => {
  const { accountId } = callerOf(request);
  const { group_by: groupBy, ...days } = request.query as GroupsQuery;
  const span = spanOfDays(deps.clock.now(), days);
  const { from, to } = span;
  const usage = await readUsage(deps, request, span, groupBy === "day" ? undefined : groupBy);
  const charged = usage.filter(({ generations }) => generations > 0n);
  const ids = groupBy === "key" ? charged.map(({ keyId }) => keyId) : [];
  const names = await store.findKeyNames(deps.sql, accountId, ids);
  const data = charged
    .map(({ date, model, keyId, endUser, tokens, generations }) => ({
      ...(date && { date }),
      ...(model && { model }),
      ...presentKey(keyId, names),
      ...(endUser && { end_user: endUser }),
      tokens: Number(tokens),
      generations: Number(generations),
    }))
    .toSorted((a, b) => b.tokens - a.tokens);
  return { object: "usage.groups", from, to, data } satisfies Schemas["UsageGroups"];
};
