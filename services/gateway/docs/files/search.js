/** Searches the pages: by the beginning of words, by other words for the same, and with a typo where nothing else is found. */

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
  sdk: ["client"],
  sdks: ["client"],
  sse: ["streaming"],
  throttling: ["rate"],
  upload: ["file"],
};

/** How much a word counts where it stands. */
const WEIGHTS = { title: 12, headings: 5, text: 1 };
/** How much a match counts by its kind. */
const EXACT = 4;
const PREFIX = 2;
/** Guides answer most questions; a code is mostly searched for by its name. */
const GROUP_WEIGHTS = { Guides: 2, "Error codes": 0.7 };
const MIN_TYPO_LETTERS = 5;
const LETTERS_OF_TWO_TYPOS = 9;

/**
 * Makes a search of the pages of search.json. It returns those that have all words of the query, or some words where none
 * has all, the best first.
 */
export function searchOf(pages) {
  const indexed = pages.map((page) => ({ page, words: wordsOfPage(page) }));
  const vocabulary = new Set(indexed.flatMap(({ words }) => [...words.keys()]));
  return (query) => {
    const terms = [...new Set(wordsIn(query))].map((term) => matchesOf(term, vocabulary));
    const scored = indexed.map(({ page, words }) => {
      const scores = terms.map((matches) => scoreOf(matches, words));
      const sum = scores.reduce((total, score) => total + score, 0);
      return {
        page,
        found: scores.filter((score) => score > 0).length,
        score: sum * (GROUP_WEIGHTS[page.group] ?? 1),
      };
    });
    const most = Math.max(0, ...scored.map(({ found }) => found));
    return scored
      .filter(({ found }) => found > 0 && found === most)
      .sort((a, b) => b.score - a.score)
      .map(({ page }) => page);
  };
}

/** The words of a page with what each counts. */
function wordsOfPage({ title, headings, text }) {
  const words = new Map();
  const parts = { title, headings: headings.join(" "), text };
  for (const [part, weight] of Object.entries(WEIGHTS)) {
    const counts = new Map();
    for (const word of wordsIn(parts[part])) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts)
      words.set(word, (words.get(word) ?? 0) + weight * (1 + Math.log(count)));
  }
  return words;
}

/** In lower case; a name with underscores is itself and its parts. */
function wordsIn(text) {
  return [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*/gu)].flatMap(([word]) =>
    word.includes("_") ? [word, ...word.split("_")] : [word],
  );
}

/** For the term and each other word for it, the words of the pages that begin so, with what each counts. */
function matchesOf(term, vocabulary) {
  const synonyms = Object.hasOwn(SYNONYMS, term) ? SYNONYMS[term] : [];
  const meanings = [term, ...synonyms].map((meant) => beginningWith(meant, vocabulary));
  if (meanings.some(({ size }) => size > 0)) return meanings;
  return nearest(term, vocabulary).map((word) => beginningWith(word, vocabulary));
}

function beginningWith(term, vocabulary) {
  const words = [...vocabulary].filter((word) => word.startsWith(term));
  return new Map(words.map((word) => [word, isSame(word, term) ? EXACT : PREFIX]));
}

/** The plural is the same word. */
function isSame(word, term) {
  return word === term || word === `${term}s`;
}

/** The words that the term is a misspelling of: those with the fewest wrong letters. */
function nearest(term, vocabulary) {
  if (term.length < MIN_TYPO_LETTERS) return [];
  const most = term.length >= LETTERS_OF_TWO_TYPOS ? 2 : 1;
  for (let letters = 1; letters <= most; letters++) {
    const near = [...vocabulary].filter((word) => isWithin(letters, term, word));
    if (near.length > 0) return near;
  }
  return [];
}

function scoreOf(meanings, words) {
  const best = meanings.map((matches) =>
    Math.max(0, ...[...matches].map(([word, kind]) => kind * (words.get(word) ?? 0))),
  );
  return best.reduce((total, score) => total + score, 0);
}

/** Whether so many letters, added, left out, changed or swapped with the next, make `a` of `b`. */
function isWithin(most, a, b) {
  if (Math.abs(a.length - b.length) > most) return false;
  let before = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(change, last[j] + 1, row[j - 1] + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    if (Math.min(...row) > most) return false;
    [before, last] = [last, row];
  }
  return last[b.length] <= most;
}
