/** Where an address of the documentation leads that differs from that of a page by its form only, or is a folder of pages. */
import { ERRORS_GROUP, markdownUrl, pageUrl, type Page } from "./site.ts";

/** Lists the codes, each with its page. */
const CODES = "guides/errors";

export function redirectOf(url: string, pages: readonly Page[]): string | undefined {
  const isMarkdown = url.endsWith(".md");
  const urlOf = isMarkdown ? markdownUrl : pageUrl;
  const asked = url.replace(/(?<!\/)\/+$|(?:\/index)?\.html$/i, "").toLowerCase();
  const same = pages.find(({ path }) => urlOf(path).toLowerCase() === asked);
  if (same) return urlOf(same.path);
  const folder = `${asked.slice("/docs/".length).replace(/\.md$/, "")}/`;
  const first = pages.find(({ path }) => path.startsWith(folder));
  if (!first) return undefined;
  return urlOf(first.group === ERRORS_GROUP ? CODES : first.path);
}
