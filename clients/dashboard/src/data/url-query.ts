/** Filters that are part of the URL, so that they survive a reload and can be shared, and those of the list before. */
import { useLocation, useSearchParams } from "react-router";

type Changed = Readonly<Record<string, string | undefined>>;

/** The page's query, and what changes fields of it: an empty one is taken out. */
export function useUrlQuery(): [URLSearchParams, (changed: Changed) => void] {
  const [query, setQuery] = useSearchParams();
  const change = (changed: Changed) => {
    // The URL of the last render may be out of date: two changes may come sooner than the page is rendered again.
    const next = new URLSearchParams(globalThis.location.search);
    for (const [name, value] of Object.entries(changed)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    setQuery(next, { replace: true });
  };
  return [query, change];
}

/** The `state` of a link to a generation. */
export type FromList = { listQuery: string };

/** For links: the query of this page, which is the list's. */
export function useFromList(): FromList {
  return { listQuery: useLocation().search };
}

/** For the page of a generation: the list's query; empty where it was opened from elsewhere. */
export function useListQuery(): string {
  const state = useLocation().state as Partial<FromList> | null;
  return typeof state?.listQuery === "string" ? state.listQuery : "";
}
