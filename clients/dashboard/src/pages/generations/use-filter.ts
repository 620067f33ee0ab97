/** The filter and view of the list, in the URL. */
import type { GenerationFilter } from "../../data/queries.ts";
import { useUrlQuery } from "../../data/url-query.ts";

const VALUES = {
  kind: ["video", "image"],
  status: ["pending", "processing", "success", "failed", "canceled"],
  view: ["table", "gallery"],
} as const;

/** The filter as it is in the URL: `from` and `to` are days in the user's time zone, both inclusive. */
export type ListFilter = {
  kind: (typeof VALUES.kind)[number] | undefined;
  status: (typeof VALUES.status)[number] | undefined;
  model: string | undefined;
  key: string | undefined;
  search: string | undefined;
  from: string | undefined;
  to: string | undefined;
  view: (typeof VALUES.view)[number];
};

export const STATUSES = VALUES.status;

export function useFilter(): [ListFilter, (change: Partial<ListFilter>) => void] {
  const [query, changeQuery] = useUrlQuery();
  const one = <T extends string>(name: string, values: readonly T[]) =>
    values.find((value) => value === query.get(name));
  const text = (name: string) => query.get(name) || undefined;
  const filter: ListFilter = {
    kind: one("kind", VALUES.kind),
    status: one("status", VALUES.status),
    model: text("model"),
    key: text("key"),
    search: text("search"),
    from: dayOf(query.get("from")),
    to: dayOf(query.get("to")),
    view: one("view", VALUES.view) ?? "table",
  };
  const change = (changed: Partial<ListFilter>) =>
    changeQuery({ ...changed, ...(changed.view === "table" && { view: "" }) });
  return [filter, change];
}

/** The filter as the API takes it; times there are exclusive. */
export function toQuery({ view: _view, from, to, ...equal }: ListFilter): GenerationFilter {
  return {
    ...equal,
    created_after: from && timeOf(from, 0, -1),
    created_before: to && timeOf(to, 1, 0),
  };
}

/** Whether there are filters besides the search. */
export function isFiltered({ view: _view, search: _search, ...filters }: ListFilter): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** RFC 3339, from the start of the local day; undefined for what is no day. */
function timeOf(day: string, addedDays: number, addedMs: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + addedDays, 0, 0, 0, addedMs).toISOString();
}

function dayOf(text: string | null): string | undefined {
  return text && /^2\d{3}-[01]\d-[0-3]\d$/.test(text) ? text : undefined;
}
