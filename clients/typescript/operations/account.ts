/** The functions of the catalog, of Tokens and of the request log. */
import type { ApiPromise } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { listing, pageQuery, type Listing } from "../http/pages.ts";
import type {
  ApiRequest,
  Balance,
  Model,
  RequestFilter,
  Transaction,
  TransactionFilter,
  Usage,
  UsageFilter,
} from "../http/types.ts";

export type AccountFunctions = {
  listModels: (options?: CallOptions) => ApiPromise<Model[]>;
  retrieveModel: (id: string, options?: CallOptions) => ApiPromise<Model>;
  retrieveBalance: (options?: CallOptions) => ApiPromise<Balance>;
  /** What was used in a span of days (UTC), by day, model or API key; this month by day at first. */
  retrieveUsage: (filter?: UsageFilter, options?: CallOptions) => ApiPromise<Usage>;
  listTransactions: (filter?: TransactionFilter, options?: CallOptions) => Listing<Transaction>;
  /** What the account's API keys asked for, and how it was answered; some seconds behind. */
  listRequests: (filter?: RequestFilter, options?: CallOptions) => Listing<ApiRequest>;
};

export function accountFunctions({ http, sending, answer }: Connection): AccountFunctions {
  return {
    listModels: (options) =>
      answer(
        http
          .GET("/models", sending(options))
          .then(({ data, ...rest }) => ({ ...rest, ...(data && { data: data.data }) })),
      ),
    retrieveModel: (id, options) =>
      answer(http.GET("/models/{id}", { params: { path: { id } }, ...sending(options) })),
    retrieveBalance: (options) => answer(http.GET("/balance", sending(options))),
    retrieveUsage: (query, options) =>
      answer(http.GET("/usage", { ...(query && { params: { query } }), ...sending(options) })),
    listTransactions: (filter, options) =>
      listing((after) =>
        answer(
          http.GET("/transactions", {
            params: { query: pageQuery(filter, after) },
            ...sending(options),
          }),
        ),
      ),
    listRequests: (filter, options) =>
      listing((after) =>
        answer(
          http.GET("/requests", {
            params: { query: pageQuery(filter, after) },
            ...sending(options),
          }),
        ),
      ),
  };
}
