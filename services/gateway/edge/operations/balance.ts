/** Operations on the balance, its transactions and the usage. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FastifyRequest } from "fastify";
import type { components, operations } from "#gen/openapi/media.ts";
import type {
  Balance,
  TokenLimit,
  Transaction,
  TransactionType,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { UsageGroup, type Usage } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { transactionTypeName, transactionTypeOf, type ModeName } from "#vocabulary/names.ts";
import { MAX_USAGE_DAYS, publicTime, publicTokenLimit } from "#vocabulary/public-values.ts";
import { USAGE_DAYS, type UsageSpan, usageSpan } from "../../domain/time.ts";
import { Problem } from "../http/problem.ts";
import { callerOf } from "../http/request-state.ts";
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

export const retrieveBalance: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, async () => {
    const { balance, limits } = await deps.billing.getBalance(ownerOf(request));
    return presentBalance(callerOf(request).mode, required(balance), limits, deps.tokenPrice);
  });

type Query = NonNullable<operations["listTransactions"]["parameters"]["query"]>;

export const listTransactions: Operation = (deps) => async (request) => {
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

/** Presents a balance. Test Tokens cost no money. */
export function presentBalance(
  mode: ModeName,
  { available, reserved }: Balance,
  limits: readonly TokenLimit[],
  tokenPrice: Schemas["TokenPrice"] | undefined,
): Schemas["Balance"] {
  return {
    object: "balance",
    mode,
    available: Number(available),
    reserved: Number(reserved),
    ...(tokenPrice && mode === "live" ? { token_price: tokenPrice } : {}),
    limits: limits.map(publicTokenLimit),
  };
}

/** Throws for a type that no stored transaction has. */
export function presentTransactionType(type: TransactionType): Schemas["TransactionType"] {
  return required(transactionTypeName(type));
}

/** Throws for a transaction without type or time: every stored one has them. */
export function presentTransaction(transaction: Transaction): Schemas["Transaction"] {
  return {
    ...publicOf(transaction),
    object: "transaction",
    type: presentTransactionType(transaction.type),
    created_at: publicTime(required(transaction.createdAt)),
  };
}

type Given = NonNullable<operations["retrieveUsage"]["parameters"]["query"]>;
type UsageQuery = Given & Required<Pick<Given, "group_by">>;

const GROUPS = {
  day: UsageGroup.DAY,
  model: UsageGroup.MODEL,
  key: UsageGroup.KEY,
  end_user: UsageGroup.END_USER,
} as const;

export const retrieveUsage: Operation = (deps) => async (request) => {
  const { mode } = callerOf(request);
  const { group_by, ...days } = request.query as UsageQuery;
  const span = spanOfDays(deps.clock.now(), days);
  const { from, to } = span;
  return {
    object: "usage",
    mode,
    from,
    to,
    group_by,
    ...presentUsage(await readUsage(deps, request, span, group_by)),
  } satisfies components["schemas"]["Usage"];
};

/** The usage of the caller's account in their mode, in groups; by day and model where `groupBy` is undefined. */
export async function readUsage(
  { generation }: Pick<Deps, "generation">,
  request: FastifyRequest,
  { begin, end }: Pick<UsageSpan, "begin" | "end">,
  groupBy?: keyof typeof GROUPS,
): Promise<readonly Usage[]> {
  const { usage } = await generation.getUsage({
    ...ownerOf(request),
    from: timestampFromDate(begin),
    to: timestampFromDate(end),
    ...(groupBy && { groupBy: GROUPS[groupBy] }),
  });
  return usage;
}

/** Throws a problem for days that have no span. */
export function spanOfDays(now: Date, days: Pick<Given, "from" | "to">): UsageSpan {
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
  throw outOfRange("to", `to must be the day of from, or a day up to ${most} days later.`);
}

function outOfRange(param: string, message: string): Problem {
  return new Problem("out_of_range", { message, param });
}

export function presentUsage(usage: readonly Usage[]): Pick<Schemas["Usage"], "data" | "total"> {
  const data = usage.map((group) => ({
    ...(group.date && { date: group.date }),
    ...(group.model && { model: group.model }),
    ...(group.keyId && { key_id: group.keyId }),
    ...(group.endUser && { end_user: group.endUser }),
    ...sumsOf([group]),
  }));
  return { data, total: sumsOf(usage) };
}

function sumsOf(usage: readonly Usage[]): Schemas["UsageSums"] {
  const sum = (name: "generations" | "tokens" | "reserved") =>
    Number(usage.reduce((total, group) => total + group[name], 0n));
  const [captured, reserved] = [sum("tokens"), sum("reserved")];
  return { generations: sum("generations"), captured, reserved, net: captured + reserved };
}
