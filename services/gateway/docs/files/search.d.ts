/** The types of search.js, which browsers load as it is. */
import type MiniSearch from "minisearch";
import type { SearchEntry } from "../site.ts";

/** `needsAll`: nothing, instead of pages with some of the words, where none has all. */
type Find = (
  text: string,
  options?: { needsAll?: boolean },
) => (Pick<SearchEntry, "url" | "title"> & {
  /** Of its text, in parts: every second one is what was found. */
  excerpt: string[];
})[];

export const ELSEWHERE: readonly Pick<SearchEntry, "url" | "title">[];

export function searchOf(library: typeof MiniSearch, entries: readonly SearchEntry[]): Find;
