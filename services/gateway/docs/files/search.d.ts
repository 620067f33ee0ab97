/** The types of search.js, which browsers load as it is. */
import type MiniSearch from "minisearch";

/** A page of search.json. */
export type SearchedPage = {
  url: string;
  title: string;
  group: string;
  words: string;
  headings: readonly string[];
  /** In one line. */
  text: string;
  /** Those that have an anchor, in their order; `at` is where each begins in the text. */
  parts: readonly { id: string; title: string; at: number }[];
  code: string;
};

/** `needsAll`: nothing, instead of pages with some of the words, where none has all. */
export type Find = (query: string, options?: { needsAll?: boolean }) => FoundPage[];

/** `terms`: words of the page that the query has found, as the search compares words. */
export type FoundPage = SearchedPage & { terms: readonly string[] };

/** The part of a page that has most of what was found; `id` is undefined for its beginning. `excerpt` has found words apart. */
export type Place = { id: string | undefined; excerpt: { text: string; isFound: boolean }[] };

export function placeIn(page: FoundPage): Place;

export function searchOf(library: typeof MiniSearch, pages: readonly SearchedPage[]): Find;
