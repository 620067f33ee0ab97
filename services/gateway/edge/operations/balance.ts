/** Operations on the balance and its transactions. */
import { modeOf } from "#vocabulary/mode.ts";
import { presentBalance, presentTransaction } from "../presenters/balance.ts";
import { callerOf } from "../http/request-state.ts";
import { required } from "../presenters/required.ts";
import type { Operation } from "./operation.ts";
import type { components, operations } from "#gen/openapi/media.ts";
import { transactionTypeOf } from "#vocabulary/transaction-type.ts";
import { presentPage } from "../presenters/page.ts";
import { readPage, pageParams } from "./list.ts";

export const retrieveBalance: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, async () => {
    const { accountId, mode } = callerOf(request);
    const { balance, limits } = await deps.billing.getBalance({ accountId, mode: modeOf(mode) });
    return presentBalance(mode, required(balance), limits, deps.tokenPrice);
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
