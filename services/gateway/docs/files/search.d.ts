/** The types of search.js, which browsers load as it is. */
import type MiniSearch from "minisearch";
import type { SearchEntry } from "../site.ts";

/** `needsAll`: nothing, instead of pages with some of the words, where none has all. */
type Find = (
  text: string,
  options?: { needsAll?: boolean },
) => Pick<SearchEntry, "url" | "title">[];

export function searchOf(library: typeof MiniSearch, entries: readonly SearchEntry[]): Find;
