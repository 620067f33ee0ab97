/** Filters that are part of the URL, so that they survive a reload and can be shared. */
import { useSearchParams } from "react-router";

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
