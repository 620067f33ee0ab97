/** Operations on the balance, its transactions and the usage. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { components, operations } from "#gen/openapi/media.ts";
import type { Transaction, TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { UsageGroup, type Usage } from "#gen/proto/media/generation/v1/generation_pb.ts";
import {
  modeOf,
  namesOf,
  transactionTypeName,
  transactionTypeOf,
  type ModeName,
} from "#vocabulary/names.ts";
import { present } from "#vocabulary/public-generation.ts";
import { MAX_USAGE_DAYS, publicTokenLimit } from "#vocabulary/public-values.ts";
import { USAGE_DAYS, usageSpan } from "../../domain/time.ts";
import { Problem } from "../http/problem.ts";
import { callerOf, type Call } from "../http/request-state.ts";
import type { Deps } from "./deps.ts";
import {
  ownerOf,
  pageParams,
  readPage,
  type Operation,
  presentPage,
  publicOf,
  required,
} from "./operation.ts";

export const retrieveBalance: Operation = (call) =>
  call.deps.shareRead(call, () => readBalance(call, callerOf(call.request).mode));

/** The balance of the caller's account in a mode. Test Tokens cost no money. */
export async function readBalance({ deps, request }: Call<Deps>, mode: ModeName) {
  const { accountId } = callerOf(request);
  const { balance, limits } = await deps.billing.getBalance({ accountId, mode: modeOf(mode) });
  return {
    ...publicOf(required(balance)),
    object: "balance" as const,
    mode,
    ...present("token_price", mode === "live" ? deps.tokenPrice : undefined),
    limits: limits.map(publicTokenLimit),
  } satisfies Schemas["Balance"];
}

type Query = NonNullable<operations["listTransactions"]["parameters"]["query"]>;

export const listTransactions: Operation = async ({ deps, request }) => {
  const { generation_id: generationId, type } = request.query as Query;
  const { transactions, hasMore } = await readPage(
    deps.billing.listTransactions({
      ...pageParams(request),
      generationId,
      type: type && transactionTypeOf(type),
    }),
  );
  return presentPage(transactions.map(presentTransaction), hasMore);
};

type Schemas = components["schemas"];

/** Throws for a type that no stored transaction has. */
export function presentTransactionType(type: TransactionType): Schemas["TransactionType"] {
  return required(transactionTypeName(type));
}

export function presentTransaction(transaction: Transaction): Schemas["Transaction"] {
  const { reference: _ofOperators, ...shown } = transaction;
  const type = presentTransactionType(shown.type);
  return { ...publicOf(shown), object: "transaction", type };
}

type Given = NonNullable<operations["retrieveUsage"]["parameters"]["query"]>;
type UsageQuery = Given & Required<Pick<Given, "group_by">>;

const { valueOf: groupOf } = namesOf(UsageGroup);

export const retrieveUsage: Operation = async (call) => {
  const { group_by } = call.request.query as UsageQuery;
  const { usage, ...days } = await readUsage(call, group_by);
  const data = usage.map((group) => ({ ...presentGroup(group), ...sumsOf([group]) }));
  const { mode } = callerOf(call.request);
  const groups = { group_by, data, total: sumsOf(usage) };
  return { object: "usage", mode, ...days, ...groups } satisfies Schemas["Usage"];
};

/** What a group of usage is of: as many fields as it is grouped by. */
export function presentGroup({ date, model, keyId, endUser }: Usage) {
  return {
    ...(date && { date }),
    ...(model && { model }),
    ...(keyId && { key_id: keyId }),
    ...(endUser && { end_user: endUser }),
  };
}

/** The usage on the request's days, in groups; by day and model where `groupBy` is undefined. */
export async function readUsage({ deps, request }: Call<Deps>, groupBy?: UsageQuery["group_by"]) {
  const { from, to, begin, end } = spanOfDays(deps.clock.now(), request.query as Given);
  const { usage } = await deps.generation.getUsage({
    ...ownerOf(request),
    from: timestampFromDate(begin),
    to: timestampFromDate(end),
    ...(groupBy && { groupBy: groupOf(groupBy) }),
  });
  return { from, to, usage };
}

/** Throws a problem for days that have no span. */
function spanOfDays(now: Date, days: Pick<Given, "from" | "to">) {
  const { first, last } = USAGE_DAYS;
  for (const param of ["from", "to"] as const) {
    const day = days[param] ?? first;
    if (day < first || day > last) {
      throw outOfRange(param, `${param} must be a day from ${first} to ${last}.`);
    }
  }
  const span = usageSpan(now, days);
  if (span) return span;
  if (days.to === undefined) {
    throw outOfRange("from", "from must not be after today. Send an earlier day, or to as well.");
  }
  const most = MAX_USAGE_DAYS - 1;
  throw outOfRange("to", `to must not be before from, nor more than ${most} days after it.`);
}

function outOfRange(param: string, message: string): Problem {
  return new Problem("out_of_range", { message, param });
}

function sumsOf(usage: readonly Usage[]): Schemas["UsageSums"] {
  const sum = (name: "generations" | "tokens" | "reserved") =>
    Number(usage.reduce((total, group) => total + group[name], 0n));
  const [captured, reserved] = [sum("tokens"), sum("reserved")];
  return { generations: sum("generations"), captured, reserved, net: captured + reserved };
}
