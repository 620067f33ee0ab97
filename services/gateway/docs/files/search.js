/** The search of the documentation, for its pages and for the dashboard. */

const LIBRARY = "/docs/files/minisearch.js";
const MAX_FOUND = 12;
const EXCERPT = 150;
const COMMON = new Set(
  "a an and are can do does for how i in is it my of on or the to what".split(" "),
);

/** Parts of the reference that repeat what many operations take, answer and refuse. */
const REPEATS = /\/reference\/.*#(?:response-\d+|event|parameters|errors)$/;

/** Where to look for what is not found. */
export const ELSEWHERE = [
  { url: "/docs/guides/quickstart", title: "Quickstart" },
  { url: "/docs/reference/create-video-generation", title: "API reference" },
  { url: "/docs/errors", title: "Errors" },
  { url: "/docs/models", title: "Models and prices" },
  { url: "/docs/guides/openai", title: "Migrate from OpenAI and Sora" },
  { url: "/docs/guides/fal", title: "Migrate from fal" },
  { url: "/docs/guides/replicate", title: "Migrate from Replicate" },
  { url: "/docs/guides/support-and-status", title: "Support and status" },
];

/** Reads the entries and makes their search. */
export async function openSearch() {
  const [response, { default: MiniSearch }] = await Promise.all([
    fetch("/docs/files/search.json"),
    import(LIBRARY),
  ]);
  if (!response.ok) throw new Error("The list of the documentation's pages cannot be read.");
  return searchOf(MiniSearch, await response.json());
}

/** Letters that may differ: two, so that two may be swapped, and none of a short word, which is near too many. */
const fuzzy = (word) => word.length > 4 && 2;

/** A name such as `image_url` is a word, and so are its parts. */
const wholeWords = (text) => text.match(/[\p{L}\p{N}_]+/gu) ?? [];
const allWords = (text) =>
  wholeWords(text).flatMap((word) => [...new Set([word, ...word.split("_")])]);

/**
 * Finds pages and their parts, the best first: with all words as they are typed, else with all or similar ones, else, unless
 * `needsAll`, with some. The excerpt alternates between text and what was found in it.
 */
export function searchOf(MiniSearch, entries) {
  const index = new MiniSearch({
    idField: "url",
    fields: ["title", "words", "names", "text", "code"],
    storeFields: ["url", "title", "words", "text", "code"],
    tokenize: (text, field) => (field === "names" ? wholeWords(text) : allWords(text)),
    searchOptions: {
      prefix: (word) => word.length > 1,
      combineWith: "AND",
      tokenize: wholeWords,
      processTerm: (word) => !COMMON.has(word.toLowerCase()) && word.toLowerCase(),
      // Who looks for a field wants to send it.
      boostDocument: (url) => (url.endsWith("#request-body") ? 2 : REPEATS.test(url) ? 0.2 : 1),
      boost: { title: 4, words: 6, names: 3, code: 0.1 },
    },
  });
  index.addAll(entries);
  const place = new Map(entries.map(({ url }, at) => [url, at]));
  return (text, { needsAll = false } = {}) => {
    const typed = text.trim();
    const some = { fuzzy, combineWith: "OR", tokenize: allWords };
    for (const way of [{}, { fuzzy }, ...(needsAll ? [] : [some])]) {
      const found = index
        .search(typed, way)
        .map((one) => ({ ...one, rank: rankOf(one, typed), excerpt: excerptOf(one, typed) }))
        .toSorted((one, other) => other.rank - one.rank);
      if (found.length > 0) return folded(found, place).slice(0, MAX_FOUND);
    }
    return [];
  };
}

/** Above the score: 2 for words that readers have for it, 1 for several that are all in its title. */
function rankOf({ words, match, queryTerms }, typed) {
  if (words.toLowerCase().split(", ").includes(typed.toLowerCase())) return NAMED;
  const inTitle = Object.keys(match).filter((term) => match[term].includes("title"));
  const hasAll = queryTerms.every((asked) => inTitle.some((term) => term.startsWith(asked)));
  return queryTerms.length > 1 && hasAll ? 1 : 0;
}

const NAMED = 2;

/** Of each page the best part and those that are named; of parts that say the same from the match on, the first. */
function folded(found, place) {
  const said = ({ url, excerpt }) =>
    REPEATS.test(url) ? excerpt.slice(1).join("").slice(0, 40) : "";
  const lastFirst = found.toSorted((a, b) => place.get(b.url) - place.get(a.url));
  const firsts = new Map(lastFirst.map((one) => [said(one), one]));
  const pages = new Set();
  return found.filter((one) => {
    const page = one.url.split("#")[0];
    // One that matches by its title has no match in its text, and is no copy.
    const isCopy = said(one) !== "" && firsts.get(said(one)) !== one;
    if (isCopy || (pages.has(page) && one.rank < NAMED)) return false;
    pages.add(page);
    return true;
  });
}

/** A word, or some, as they stand in a text. */
function patternOf(words) {
  const literals = words.map((word) => word.replaceAll(/\W/g, "\\$&"));
  return new RegExp(`(?<![a-z0-9])(${literals.join("|")})(?![a-z0-9])`, "i");
}

function excerptOf({ text, code, terms }, typed) {
  const all = `${text} ${code}`.trim();
  const anyTerm = patternOf(terms.toSorted((one, other) => other.length - one.length));
  const exactly = all.search(patternOf([typed]));
  const at = Math.max(exactly >= 0 ? exactly : all.search(anyTerm), 0);
  const from = at < EXCERPT / 2 ? 0 : Math.min(at, all.indexOf(" ", at - EXCERPT / 2) + 1);
  const shown = all.slice(from, from + EXCERPT);
  const isCut = from + EXCERPT < all.length;
  const whole = isCut ? shown.replace(/\S*$/, "…") : shown;
  return `${from > 0 ? "… " : ""}${whole}`.split(anyTerm);
}
