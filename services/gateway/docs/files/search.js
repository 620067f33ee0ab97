/** Searches the pages: by the beginning of words, by other words for the same, and despite typos. */

/** Words of readers, and those that the pages have for them. */
const SYNONYMS = {
  "1080p": ["resolution"],
  "4k": ["resolution"],
  auth: ["authentication"],
  billing: ["tokens", "spending"],
  bug: ["fault"],
  callback: ["webhook"],
  callbacks: ["webhook"],
  concurrent: ["concurrency"],
  cost: ["price"],
  costs: ["price"],
  delete: ["deletion"],
  email: ["mail"],
  credits: ["tokens"],
  gdpr: ["retention"],
  install: ["sdk"],
  login: ["authentication"],
  polling: ["wait"],
  pricing: ["price"],
  privacy: ["retention"],
  quota: ["limits"],
  sandbox: ["test"],
  sdk: ["client"],
  sdks: ["client"],
  sse: ["streaming"],
  throttling: ["rate"],
  upload: ["file"],
};

/** How much a word counts where it stands; 1 in the text. */
const BOOSTS = { title: 12, headings: 5 };
/** Guides answer most questions; a code is mostly searched for by its name. */
const GROUP_BOOSTS = { Guides: 2, "Error codes": 0.7 };
const MIN_TYPO_LETTERS = 5;
/** Wrong letters as a part of all. */
const TYPOS = 0.2;

/** Reads the pages and makes their search. */
export async function openSearch() {
  const [response, { default: MiniSearch }] = await Promise.all([
    fetch("/docs/files/search.json"),
    import("/docs/files/minisearch.js"),
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
    fields: ["title", "headings", "text"],
    tokenize: wordsIn,
    extractField: (page, field) => [page[field]].flat().join(" "),
    searchOptions: {
      boost: BOOSTS,
      boostDocument: (url) => GROUP_BOOSTS[byUrl.get(url).group] ?? 1,
      prefix: true,
    },
  });
  index.addAll(pages);
  const find = (words, combineWith, fuzzy) => {
    const queries = words.map((word) => ({ combineWith: "OR", queries: meaningsOf(word) }));
    return index.search({ combineWith, queries }, { fuzzy }).map(({ id }) => byUrl.get(id));
  };
  return (query, { needsAll = false } = {}) => {
    const words = wordsIn(query.toLowerCase());
    const tries = [["AND", false], ["AND", typosIn], ...(needsAll ? [] : [["OR", typosIn]])];
    for (const [combineWith, fuzzy] of tries) {
      const found = find(words, combineWith, fuzzy);
      if (found.length > 0) return found;
    }
    return [];
  };
}

function meaningsOf(word) {
  return [word, ...(Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : [])];
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
