/** The page for an address of the documentation that has none: it offers what was probably meant, and search. */
import { closestMatch } from "leven";
import { markdown } from "./html.ts";
import { pageUrl, type Page } from "./site.ts";

/** Longer addresses are not compared: the comparison takes time for each pair of characters. */
const MAX_CHARACTERS = 100;

export function notFoundPage(url: string, pages: readonly Page[]): Page {
  const urls = pages.map(({ path }) => pageUrl(path));
  const near =
    url.length > MAX_CHARACTERS
      ? undefined
      : closestMatch(url, urls, { maxDistance: url.length / 3 });
  const meant = pages.find(({ path }) => pageUrl(path) === near);
  const source = `# Page not found

There is no page at this address.${meant ? ` Did you mean [${meant.title}](${near})?` : ""} Search above, or begin with the [introduction](/docs) or the [quickstart](/docs/guides/quickstart).
`;
  const title = "Page not found";
  return { path: "", title, group: "", text: "", content: markdown(source), source };
}
