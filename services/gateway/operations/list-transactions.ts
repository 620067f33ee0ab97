/** listTransactions: GET /transactions. */
import type { components, operations } from "#gen/openapi/media.ts";
import { publicTransaction, transactionType } from "../presenters/transaction.ts";
import { listed, pageAsked, publicPage } from "./list.ts";
import { READ_TIMEOUT_MS, callFor } from "./operation.ts";
import type { Operation } from "./operation.ts";

type Query = NonNullable<operations["listTransactions"]["parameters"]["query"]>;

export const listTransactions: Operation = (deps) => async (request) => {
  const { generation_id: generationId, type } = request.query as Query;
  const { transactions, hasMore } = await listed(
    deps.billing.listTransactions(
      {
        ...pageAsked(request),
        ...(generationId === undefined ? {} : { generationId }),
        ...(type === undefined ? {} : { type: transactionType(type) }),
      },
      callFor(request, READ_TIMEOUT_MS),
    ),
  );
  return publicPage(
    transactions.map(publicTransaction),
    hasMore,
  ) satisfies components["schemas"]["TransactionList"];
};
