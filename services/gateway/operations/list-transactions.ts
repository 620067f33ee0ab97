/** listTransactions: GET /transactions. */
import type { components, operations } from "#gen/openapi/media.ts";
import { transactionTypeOf } from "#runtime/transaction-type.ts";
import { presentTransaction } from "../presenters/transaction.ts";
import { presentPage } from "../presenters/page.ts";
import { readPage, pageParams } from "./list.ts";
import type { Operation } from "./operation.ts";

type Query = NonNullable<operations["listTransactions"]["parameters"]["query"]>;

export const listTransactions: Operation = (deps) => async (request) => {
  const { generation_id: generationId, type } = request.query as Query;
  const { transactions, hasMore } = await readPage(
    deps.billing.listTransactions({
      ...pageParams(request),
      ...(generationId === undefined ? {} : { generationId }),
      ...(type === undefined ? {} : { type: transactionTypeOf(type) }),
    }),
  );
  return presentPage(
    transactions.map(presentTransaction),
    hasMore,
  ) satisfies components["schemas"]["TransactionList"];
};
