/** The filter of the list, in the URL, and its view, which the browser keeps where the URL names none. */
import type { GenerationFilter } from "../../data/queries.ts";
import { type Days, daysIn, spanOf } from "../../data/url.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { keep, useKept } from "../../session/kept.ts";

const KEPT_VIEW = "generations view";

const VALUES = {
  kind: ["video", "image"],
  status: ["pending", "processing", "success", "failed", "canceled"],
  view: ["table", "gallery"],
} as const;

/** The filter as it is in the URL. */
export type ListFilter = Days & {
  kind: (typeof VALUES.kind)[number] | undefined;
  status: (typeof VALUES.status)[number] | undefined;
  model: string | undefined;
  key: string | undefined;
  search: string | undefined;
  end_user: string | undefined;
  view: (typeof VALUES.view)[number];
};

export const NO_FILTER: Omit<ListFilter, "view"> = {
  kind: undefined,
  status: undefined,
  model: undefined,
  key: undefined,
  search: undefined,
  end_user: undefined,
  from: undefined,
  to: undefined,
};

export const STATUSES = VALUES.status;

export function useFilter(): [ListFilter, (change: Partial<ListFilter>) => void] {
  const [query, changeQuery] = useUrlQuery();
  const keptView = useKept<ListFilter["view"]>(KEPT_VIEW);
  const one = <T extends string>(name: string, values: readonly T[]) =>
    values.find((value) => value === query.get(name));
  const text = (name: string) => query.get(name) || undefined;
  const filter: ListFilter = {
    kind: one("kind", VALUES.kind),
    status: one("status", VALUES.status),
    model: text("model"),
    key: text("key"),
    search: text("search"),
    end_user: text("end_user"),
    ...daysIn(query),
    view: one("view", VALUES.view) ?? keptView ?? "table",
  };
  const change = ({ view, ...changed }: Partial<ListFilter>) => {
    if (view) keep(KEPT_VIEW, view);
    changeQuery({ ...changed, ...(view && { view: "" }) });
  };
  return [filter, change];
}

/** The filter as the API takes it. */
export function toQuery({ view: _view, from, to, ...equal }: ListFilter): GenerationFilter {
  return {
    ...equal,
    ...spanOf({ from, to }),
  };
}

/** Whether there are filters besides the search. */
export function isFiltered({ view: _view, search: _search, ...filters }: ListFilter): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
