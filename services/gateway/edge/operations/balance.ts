/** Operations on the balance and its transactions. */
import { type ModeName, transactionTypeOf, transactionTypeName } from "#vocabulary/names.ts";
import type { components, operations } from "#gen/openapi/media.ts";
import type {
  Balance,
  TokenLimit,
  Transaction,
  TransactionType,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { publicTokenLimit, publicTime } from "#vocabulary/public-values.ts";
import { callerOf } from "../http/request-state.ts";
import { required, presentPage } from "../presenters/page.ts";
import { type Operation, ownerOf, readPage, pageParams } from "./operation.ts";

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
  return presentPage(
    transactions.map(presentTransaction),
    hasMore,
  ) satisfies components["schemas"]["TransactionList"];
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

/** The public name of a type; throws for a type that no stored transaction has. */
export function presentTransactionType(type: TransactionType): Schemas["TransactionType"] {
  const name = transactionTypeName(type);
  if (name === undefined) throw new Error(`unknown transaction type ${type}`);
  return name;
}

/** Throws for a transaction without type or time: every stored one has them. */
export function presentTransaction(transaction: Transaction): Schemas["Transaction"] {
  const { id, generationId, note, createdAt } = transaction;
  const type = presentTransactionType(transaction.type);
  if (!createdAt) throw new Error(`transaction ${id} has no time`);
  return {
    id,
    object: "transaction",
    type,
    tokens: Number(transaction.tokens),
    available_after: Number(transaction.availableAfter),
    ...(generationId === undefined ? {} : { generation_id: generationId }),
    ...(note === undefined ? {} : { note }),
    created_at: publicTime(createdAt),
  };
}
