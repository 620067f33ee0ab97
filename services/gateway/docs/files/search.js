/** The search of the documentation, for its pages and for the dashboard. */

const LIBRARY = "/docs/files/minisearch.js";

/** Reads the entries and makes their search. */
export async function openSearch() {
  const [response, { default: MiniSearch }] = await Promise.all([
    fetch("/docs/files/search.json"),
    import(LIBRARY),
  ]);
  if (!response.ok) throw new Error("The list of the documentation's pages cannot be read.");
  return searchOf(MiniSearch, await response.json());
}

/** Finds pages and their parts with all words, or with some where none has all and `needsAll` is not set, the best first. */
export function searchOf(MiniSearch, entries) {
  const index = new MiniSearch({
    idField: "url",
    fields: ["title", "words", "text"],
    storeFields: ["url", "title"],
    searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 4, words: 6 } },
  });
  index.addAll(entries);
  return (text, { needsAll = false } = {}) => {
    const found = index.search(text, { combineWith: "AND" });
    return found.length > 0 || needsAll ? found : index.search(text);
  };
}
