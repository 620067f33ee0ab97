/** The filter of the list of webhook deliveries, in the URL. */
import { EVENT_TYPES } from "../../../../typescript/http/filter-values.ts";
import { daysIn, spanOf, type Days } from "../../data/days.ts";
import type { DeliveryFilter } from "../../data/queries.ts";
import { useUrlQuery } from "../../data/url-query.ts";

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
