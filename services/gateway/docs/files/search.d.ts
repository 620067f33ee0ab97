/** The types of search.js, which browsers load as it is. */
import type MiniSearch from "minisearch";

/** A page of search.json. */
export type SearchedPage = {
  url: string;
  title: string;
  group: string;
  words: string;
  headings: readonly string[];
  text: string;
  code: string;
};

/** `needsAll`: nothing, instead of pages with some of the words, where none has all. */
export type Find = (query: string, options?: { needsAll?: boolean }) => SearchedPage[];

export function searchOf(library: typeof MiniSearch, pages: readonly SearchedPage[]): Find;
