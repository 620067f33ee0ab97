/** The functions of the catalog, of Tokens and of the request log. */
import type { ApiPromise } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { listing, pageQuery, type ListedPage, type Listing } from "../http/pages.ts";
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

/** An array, which has the fields of a page too, so that one code reads every list. */
export type ModelList = Model[] &
  Readonly<Pick<ListedPage<Model>, "data" | "has_more" | "nextCursor">>;

export type Account = {
  models: {
    /** The catalog, with your own prices: all of it at once. `for await` reads it as it does other lists. */
    list: (options?: CallOptions) => ApiPromise<ModelList> & AsyncIterable<Model>;
    /** One model of the catalog. */
    retrieve: (id: string, options?: CallOptions) => ApiPromise<Model>;
  };
  balance: {
    /** The Tokens that are available, and those that running generations have reserved. */
    retrieve: (options?: CallOptions) => ApiPromise<Balance>;
  };
  usage: {
    /** What was used in a span of days (UTC), by day, model or API key; this month by day at first. */
    retrieve: (filter?: UsageFilter, options?: CallOptions) => ApiPromise<Usage>;
  };
  transactions: {
    /** What changed the Tokens, newest first. */
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
      list: (options) => {
        const models = answer(
          http.GET("/models", sending(options)).then(({ data, ...rest }) => ({
            ...rest,
            ...(data && { data: modelList(data.data) }),
          })),
        );
        return Object.assign(models, {
          async *[Symbol.asyncIterator]() {
            yield* await models;
          },
        });
      },
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

/** The page's fields are not enumerable: the array is compared and serialised as one. */
function modelList(models: Model[]): ModelList {
  const page = { data: models, has_more: false, nextCursor: undefined };
  for (const [name, value] of Object.entries(page)) Object.defineProperty(models, name, { value });
  return models as ModelList;
}
