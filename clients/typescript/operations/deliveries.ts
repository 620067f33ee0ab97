/** The functions of webhook deliveries. */
import type { ApiPromise } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { listing, pageQuery, type Listing } from "../http/pages.ts";
import type { Delivery, DeliveryFilter } from "../http/types.ts";

export type Deliveries = {
  /** The webhooks that were sent, newest first, each with its attempts. */
  list: (filter?: DeliveryFilter, options?: CallOptions) => Listing<Delivery>;
  /** The delivery as it is now, with its attempts. */
  retrieve: (id: string, options?: CallOptions) => ApiPromise<Delivery>;
  /** Makes another attempt immediately. Sent again after a 429 only. */
  redeliver: (id: string, options?: CallOptions) => ApiPromise<Delivery>;
};

export function deliveries({ http, sending, answer }: Connection): Deliveries {
  return {
    list: (filter, options) =>
      listing((after) =>
        answer(
          http.GET("/webhooks/deliveries", {
            params: { query: pageQuery(filter, after) },
            ...sending(options),
          }),
        ),
      ),
    retrieve: (id, options) =>
      answer(
        http.GET("/webhooks/deliveries/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    redeliver: (id, options) =>
      answer(
        http.POST("/webhooks/deliveries/{id}/redeliver", {
          params: { path: { id } },
          ...sending(options, { isRepeatable: false }),
        }),
      ),
  };
}
