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

export type Find = (query: string) => SearchedPage[];

export function searchOf(library: typeof MiniSearch, pages: readonly SearchedPage[]): Find;
