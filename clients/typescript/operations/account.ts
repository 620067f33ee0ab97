/** The functions of the catalog, of Tokens, of the request log and of webhook deliveries. */
import { ApiPromise } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import type { ListedPage, Listing } from "../http/pages.ts";
import type {
  ApiRequest,
  Balance,
  Delivery,
  DeliveryFilter,
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
  deliveries: {
    /** The webhooks that were sent, newest first, each with its attempts. */
    list: (filter?: DeliveryFilter, options?: CallOptions) => Listing<Delivery>;
    /** The delivery as it is now, with its attempts. */
    retrieve: (id: string, options?: CallOptions) => ApiPromise<Delivery>;
    /** Makes another attempt immediately. Sent again after a 429 only. */
    redeliver: (id: string, options?: CallOptions) => ApiPromise<Delivery>;
  };
};

export function account({ call, list }: Connection): Account {
  const delivery = "/webhooks/deliveries/{id}";
  return {
    models: {
      list: (options) => {
        const all = { path: "/models", needs: ["data"] } as const;
        const answer = call<{ data: Model[] }>(all, options).withResponse();
        const models = new ApiPromise(
          answer.then(({ data, response }) => ({ data: modelList(data.data), response })),
        );
        return Object.assign(models, {
          async *[Symbol.asyncIterator]() {
            yield* await models;
          },
        });
      },
      retrieve: (id, options) => call({ path: "/models/{id}", id }, options),
    },
    balance: { retrieve: (options) => call({ path: "/balance" }, options) },
    usage: { retrieve: (query, options) => call({ path: "/usage", query }, options) },
    transactions: { list: (filter, options) => list("/transactions", filter, options) },
    requests: { list: (filter, options) => list("/requests", filter, options) },
    deliveries: {
      list: (filter, options) => list("/webhooks/deliveries", filter, options),
      retrieve: (id, options) => call({ path: delivery, id }, options),
      redeliver: (id, options) =>
        call({ method: "POST", path: `${delivery}/redeliver`, id, isRepeatable: false }, options),
    },
  };
}

/** The page's fields are not enumerable: the array is compared and serialised as one. */
function modelList(models: Model[]): ModelList {
  const page = { data: models, has_more: false, nextCursor: undefined };
  for (const [name, value] of Object.entries(page)) Object.defineProperty(models, name, { value });
  return models as ModelList;
}
