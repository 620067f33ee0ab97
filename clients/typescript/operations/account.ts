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

export type Account = {
  models: {
    list: (options?: CallOptions) => ApiPromise<Model[]>;
    retrieve: (id: string, options?: CallOptions) => ApiPromise<Model>;
  };
  balance: { retrieve: (options?: CallOptions) => ApiPromise<Balance> };
  usage: {
    /** What was used in a span of days (UTC), by day, model or API key; this month by day at first. */
    retrieve: (filter?: UsageFilter, options?: CallOptions) => ApiPromise<Usage>;
  };
  transactions: {
    list: (filter?: TransactionFilter, options?: CallOptions) => Listing<Transaction>;
  };
  requests: {
    /** What the account's API keys asked for, and how it was answered; some seconds behind. */
    list: (filter?: RequestFilter, options?: CallOptions) => Listing<ApiRequest>;
  };
};

export function account({ http, sending, answer }: Connection): Account {
  return {
    models: {
      list: (options) =>
        answer(
          http
            .GET("/models", sending(options))
            .then(({ data, ...rest }) => ({ ...rest, ...(data && { data: data.data }) })),
        ),
      retrieve: (id, options) =>
        answer(http.GET("/models/{id}", { params: { path: { id } }, ...sending(options) })),
    },
    balance: { retrieve: (options) => answer(http.GET("/balance", sending(options))) },
    usage: {
      retrieve: (query, options) =>
        answer(http.GET("/usage", { ...(query && { params: { query } }), ...sending(options) })),
    },
    transactions: {
      list: (filter, options) =>
        listing((after) =>
          answer(
            http.GET("/transactions", {
              params: { query: pageQuery(filter, after) },
              ...sending(options),
            }),
          ),
        ),
    },
    requests: {
      list: (filter, options) =>
        listing((after) =>
          answer(
            http.GET("/requests", {
              params: { query: pageQuery(filter, after) },
              ...sending(options),
            }),
          ),
        ),
    },
  };
}
