/** The filter of the request log, in the URL. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { daysIn, spanOf, type Days } from "../../data/days.ts";
import { useUrlQuery } from "../../data/url-query.ts";

export const STATUSES = ["2xx", "4xx", "400", "402", "403", "404", "409", "422", "429", "5xx"];

/** `id` is a Request-Id, or the id of a generation. */
export type RequestFilter = Days & Record<"id" | "status" | "key", string | undefined>;

type Query = Omit<operations["listRequestLog"]["parameters"]["query"], "mode" | "limit" | "after">;

export function useFilter(): [RequestFilter, (change: Partial<RequestFilter>) => void] {
  const [query, change] = useUrlQuery();
  const text = (name: string) => query.get(name) || undefined;
  const status = STATUSES.find((one) => one === query.get("status"));
  return [{ id: text("id"), status, key: text("key"), ...daysIn(query) }, change];
}

export const NO_FILTER: RequestFilter = {
  id: undefined,
  status: undefined,
  key: undefined,
  from: undefined,
  to: undefined,
};

const GENERATION_ID = /^[vi]gen_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** Whether requests can have this id. */
export function isRequestId(id: string): boolean {
  return REQUEST_ID.test(id);
}

/** The filter as the API takes it, without an id that no request has. */
export function toQuery({ id, status, key, from, to }: RequestFilter): Query {
  const byId = id && isRequestId(id);
  return {
    ...(byId && (GENERATION_ID.test(id) ? { generation_id: id } : { request_id: id })),
    ...(status && { status }),
    ...(key && { key_id: key }),
    ...spanOf({ from, to }),
  };
}
