/** Searches the pages: by the beginning of words, by the words that readers have for them, and despite typos. */

/** MiniSearch, as the service serves it. */
const LIBRARY = "/docs/files/minisearch.js";

/** How much a word counts where it stands; 1 in the text. `words` are those that readers have for the page. */
const BOOSTS = { words: 15, title: 12, headings: 5, code: 0.3 };
/** They are in every page, and say nothing beside other words. */
const STOP_WORDS = new Set([
  "a",
  "an",
  "and",
  "do",
  "for",
  "how",
  "i",
  "in",
  "is",
  "my",
  "of",
  "the",
  "to",
  "with",
]);
/** Guides answer most questions; a code is mostly searched for by its name. */
const GROUP_BOOSTS = { Guides: 2, "Error codes": 0.7 };
const MIN_TYPO_LETTERS = 5;
/** Wrong letters as a part of all. */
const TYPOS = 0.2;

/** Reads the pages and makes their search. */
export async function openSearch() {
  const [response, { default: MiniSearch }] = await Promise.all([
    fetch("/docs/files/search.json"),
    import(LIBRARY),
  ]);
  if (!response.ok) throw new Error("The list of the documentation's pages cannot be read.");
  return searchOf(MiniSearch, await response.json());
}

/**
 * Makes a search of the pages of search.json. It returns those that have all words of the query, or some words where none
 * has all and `needsAll` is not set, the best first.
 */
export function searchOf(MiniSearch, pages) {
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const index = new MiniSearch({
    idField: "url",
    fields: ["title", "words", "headings", "text", "code"],
    tokenize: wordsIn,
    processTerm: (word) => singular(word.toLowerCase()),
    extractField: (page, field) => [page[field]].flat().join(" "),
    searchOptions: {
      boost: BOOSTS,
      boostDocument: (url) => GROUP_BOOSTS[byUrl.get(url).group] ?? 1,
      prefix: true,
    },
  });
  index.addAll(pages);
  const find = (words, combineWith, fuzzy) => {
    return index.search({ combineWith, queries: words }, { fuzzy }).map(({ id }) => byUrl.get(id));
  };
  return (query, { needsAll = false } = {}) => {
    const all = wordsIn(query.toLowerCase());
    const telling = all.filter((word) => !STOP_WORDS.has(word));
    const words = telling.length > 0 ? telling : all;
    const tries = [["AND", false], ["AND", typosIn], ...(needsAll ? [] : [["OR", typosIn]])];
    for (const [combineWith, fuzzy] of tries) {
      const found = find(words, combineWith, fuzzy);
      if (found.length > 0) return found;
    }
    return [];
  };
}

/** Videos are found as video is. */
function singular(word) {
  return word.replace(/(?<=\w{2}[^s])s$/, "");
}

function typosIn(word) {
  return word.length < MIN_TYPO_LETTERS ? false : TYPOS;
}

/** A name with underscores is itself and its parts. */
function wordsIn(text) {
  return [...text.matchAll(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*/gu)].flatMap(([word]) =>
    word.includes("_") ? [word, ...word.split("_")] : [word],
  );
}
