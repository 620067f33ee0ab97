/** The list of webhook deliveries, and its filter, which is in the URL. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { EVENT_TYPES } from "../../../../typescript/http/filter-values.ts";
import { api, unwrap } from "../../api/client.ts";
import { daysIn, spanOf, type Days } from "../../data/days.ts";
import type { DeliveryFilter } from "../../data/queries.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";
import { useUrlQuery } from "../../data/url-query.ts";

const REFRESH_MS = 5_000;

/** As the list's badges say them. */
export const STATUSES = [
  { value: "pending", label: "pending or failing" },
  { value: "failing", label: "failing" },
  { value: "delivered", label: "delivered" },
  { value: "exhausted", label: "exhausted" },
  { value: "disabled", label: "disabled" },
] as const;

/** The filter as it is in the URL of the page. */
export type ListFilter = Days & Record<"status" | "type" | "url", string | undefined>;

export const NO_FILTER: ListFilter = {
  status: undefined,
  type: undefined,
  url: undefined,
  from: undefined,
  to: undefined,
};

/** The filter in the URL, as the API takes it too, and what changes it. */
export function useFilter(): [ListFilter, DeliveryFilter, (change: Partial<ListFilter>) => void] {
  const [query, change] = useUrlQuery();
  const status = STATUSES.find(({ value }) => value === query.get("status"))?.value;
  const type = EVENT_TYPES.find((one) => one === query.get("type"));
  const url = query.get("url") || undefined;
  const days = daysIn(query);
  const asked = {
    ...(status && { status }),
    ...(type && { type }),
    ...(url && { url }),
    ...spanOf(days),
  };
  return [{ status, type, url, ...days }, asked, change];
}

/** Reads a page of what matches. */
export function useDeliveryPages(filter: DeliveryFilter) {
  const { params } = useScope();
  return async (page: { limit?: number; after?: string }) => {
    const query = { ...params.query, ...filter, ...page };
    const { data, has_more: hasMore } = await unwrap(
      api.GET("/accounts/{account_id}/webhooks/deliveries", { params: { ...params, query } }),
    );
    return { data, next: hasMore ? data.at(-1)?.id : undefined };
  };
}

export function useDeliveries(filter: DeliveryFilter) {
  const { keyPrefix } = useScope();
  const read = useDeliveryPages(filter);
  return useInfiniteQuery({
    queryKey: [...queryKeys.deliveries(keyPrefix), "list", filter],
    queryFn: ({ pageParam: after }) => read(after ? { after } : {}),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  });
}
