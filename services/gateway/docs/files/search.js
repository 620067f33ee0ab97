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
/** How much more a page counts whose title has all words of a query. */
const WHOLE_TITLE_BOOST = 4;
const MAX_EXCERPT_CHARACTERS = 140;
/** Of an excerpt, before the first word that was found. */
const LEAD_CHARACTERS = 40;
const TITLE_WEIGHT = 3;

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
    processTerm: termOf,
    extractField: (page, field) => [page[field]].flat().join(" "),
    searchOptions: {
      boost: BOOSTS,
      boostDocument: (url) => GROUP_BOOSTS[byUrl.get(url).group] ?? 1,
      prefix: true,
    },
  });
  index.addAll(pages);
  const find = (words, combineWith, withTypos) => {
    const queries = withTypos ? words.map(withSwaps) : words;
    const fuzzy = withTypos && typosIn;
    return index
      .search({ combineWith, queries }, { fuzzy })
      .map(({ id, terms, score }) => ({ page: byUrl.get(id), terms, score }))
      .map((result) => ({ ...result, score: result.score * titleBoost(result.page, words) }))
      .toSorted((a, b) => b.score - a.score)
      .map(({ page, terms }) => ({ ...page, terms }));
  };
  return (query, { needsAll = false } = {}) => {
    const all = wordsIn(query.toLowerCase());
    const telling = all.filter((word) => !STOP_WORDS.has(word));
    const words = telling.length > 0 ? telling : all;
    const tries = [["AND", false], ["AND", true], ...(needsAll ? [] : [["OR", true]])];
    for (const [combineWith, withTypos] of tries) {
      const found = find(words, combineWith, withTypos);
      if (found.length > 0) return found;
    }
    return [];
  };
}

/** One word says little of what a page is about: it may be a part of the name of many. */
function titleBoost({ title }, words) {
  if (words.length < 2) return 1;
  const inTitle = wordsIn(title).map(termOf);
  const isWhole = words.map(termOf).every((term) => inTitle.includes(term));
  return isWhole ? WHOLE_TITLE_BOOST : 1;
}

/** The part of a page that has most of what was found, and a line of it. */
export function placeIn({ title, text, parts, terms }) {
  const starts = [{ id: undefined, title, at: 0 }, ...parts];
  const places = starts.map((part, at) => {
    const end = starts[at + 1]?.at ?? text.length;
    const hits = hitsIn(text.slice(part.at, end), terms);
    const inTitle = part.id ? countOf(hitsIn(part.title, terms)) : 0;
    return { ...part, end, hits, score: countOf(hits) + TITLE_WEIGHT * inTitle };
  });
  const best = places.reduce((a, b) => (b.score > a.score ? b : a));
  return { id: best.id, excerpt: excerptOf(text.slice(best.at, best.end), best.hits) };
}

/** The words of the text that have some of the terms. */
function hitsIn(text, terms) {
  return [...text.matchAll(WORD)]
    .map(({ 0: word, index }) => ({
      index,
      end: index + word.length,
      terms: wordsIn(word)
        .map(termOf)
        .filter((term) => terms.includes(term)),
    }))
    .filter((hit) => hit.terms.length > 0);
}

/** How many terms there are, each counted once. */
function countOf(hits) {
  return new Set(hits.flatMap(({ terms }) => terms)).size;
}

function excerptOf(text, hits) {
  const within = (from) => (hit) => hit.index >= from && hit.end <= from + MAX_EXCERPT_CHARACTERS;
  const starts = hits.map(({ index }) => Math.min(index, wordStart(text, index - LEAD_CHARACTERS)));
  const countFrom = (from) => countOf(hits.filter(within(from)));
  const from = starts.reduce((a, b) => (countFrom(b) > countFrom(a) ? b : a), starts[0] ?? 0);
  const end = wordEnd(text, from + MAX_EXCERPT_CHARACTERS);
  const pieces = [];
  let at = from;
  for (const hit of hits.filter(within(from))) {
    pieces.push({ text: text.slice(at, hit.index), isFound: false });
    pieces.push({ text: text.slice(hit.index, hit.end), isFound: true });
    at = hit.end;
  }
  pieces.push({ text: text.slice(at, end), isFound: false });
  if (from > 0) pieces.unshift({ text: "… ", isFound: false });
  if (end < text.length) pieces.push({ text: " …", isFound: false });
  return pieces.filter((piece) => piece.text !== "");
}

function wordStart(text, at) {
  return at <= 0 ? 0 : text.indexOf(" ", at) + 1;
}

function wordEnd(text, at) {
  return at >= text.length ? text.length : text.lastIndexOf(" ", at);
}

function termOf(word) {
  return singular(word.toLowerCase());
}

/** Videos are found as video is. */
function singular(word) {
  return word.replace(/(?<=\w{2}[^s])s$/, "");
}

function typosIn(word) {
  return word.length < MIN_TYPO_LETTERS ? false : TYPOS;
}

/** Two letters in the wrong order count as two wrong letters, more than short words may have. */
function withSwaps(word) {
  if (!typosIn(word)) return word;
  const swapped = [...word].slice(1).map((_letter, at) => {
    return `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  });
  return {
    combineWith: "OR",
    queries: [word, { queries: swapped, combineWith: "OR", fuzzy: false }],
  };
}

const WORD = /[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*/gu;

/** A name with underscores is itself and its parts. */
function wordsIn(text) {
  return [...text.matchAll(WORD)].flatMap(([word]) =>
    word.includes("_") ? [word, ...word.split("_")] : [word],
  );
}
