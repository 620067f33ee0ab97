/** The page for an address of the documentation that has none: it offers what was probably meant, and search. */
import { nearestName } from "#runtime/did-you-mean.ts";
import type { Find } from "./files/search.js";
import { markdown } from "./html.ts";
import { pageUrl, type Page } from "./site.ts";

/** A longer address is no slip. */
const MAX_CHARACTERS = 100;
/** Of the last words of an address, which say most. Each takes a search up to 3 ms, which a stranger can have at will. */
const MAX_WORDS = 4;
const MAX_MEANT = 3;
/** Letters that an address may differ by from that of a page. */
const MAX_SLIPS = 2;
/** Parts of addresses that say nothing of a page, here or elsewhere. */
const PLACES = /^(?:docs?|guides?|references?|errors?|api|v1|en|latest|html?|md)$/;

export function notFoundPage(url: string, pages: readonly Page[], find: Find): Page {
  const links = meantBy(url, pages, find).map(({ title, url: found }) => `- [${title}](${found})`);
  const blocks = [
    "# Page not found",
    "There is no page at this address.",
    ...(links.length > 0 ? ["Did you mean:", links.join("\n")] : []),
    "Search above, or begin with the [introduction](/docs) or the [quickstart](/docs/guides/quickstart).",
  ];
  const source = `${blocks.join("\n\n")}\n`;
  const title = "Page not found";
  return { path: "", title, group: "", text: "", content: markdown(source), source };
}

/** The page whose address differs by a slip, and those that a search for the words of the address finds. */
function meantBy(
  url: string,
  pages: readonly Page[],
  find: Find,
): { title: string; url: string }[] {
  if (url.length > MAX_CHARACTERS) return [];
  const urls = pages.map(({ path }) => pageUrl(path));
  const near = nearestName(url, urls, MAX_SLIPS);
  const slipped = pages.filter(({ path }) => pageUrl(path) === near);
  const all = url.split(/[^\p{L}\p{N}]+/u);
  const telling = all.filter((word) => word !== "" && !PLACES.test(word));
  const words = telling.length > 0 ? telling : all.filter((word) => word !== "docs");
  const found = slipped
    .map(({ path, title }) => ({ title, url: pageUrl(path) }))
    .concat(find(words.slice(-MAX_WORDS).join(" ")));
  const byUrl = new Map(found.map((page) => [page.url, page]));
  return [...byUrl.values()].slice(0, MAX_MEANT);
}
