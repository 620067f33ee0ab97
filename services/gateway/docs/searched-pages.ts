/** The pages as the search has them: their words without markup, and where the parts of each begin. */
import type { SearchedPage } from "./files/search.js";
import { headingsOf, slugOf } from "./html.ts";
import { searchWords } from "./search-words.ts";
import { pageUrl, type Page } from "./site.ts";

const FENCES = /^```.*?^```$/gms;

export function searchedPages(pages: readonly Page[]): SearchedPage[] {
  const words = searchWords();
  return pages.map(({ path, title, group, text, content, names }) => {
    const headings = headingsOf(content).filter(({ depth }) => depth === 2);
    return {
      url: pageUrl(path),
      title,
      group,
      words: words[path] ?? "",
      headings:
        names ?? headings.map(({ title: heading }) => heading.text.replaceAll(/<.*?>/g, "")),
      ...partsOf(text.replaceAll(FENCES, ""), new Set(headings.map(({ id }) => id))),
      code: (text.match(FENCES) ?? []).join("\n"),
    };
  });
}

/** `ids`: those that the page has. */
function partsOf(source: string, ids: ReadonlySet<string>): Pick<SearchedPage, "text" | "parts"> {
  let text = "";
  const parts: SearchedPage["parts"][number][] = [];
  for (const section of source.replace(/^# .*$/m, "").split(/^(?=## )/m)) {
    const heading = /^## (.*)/.exec(section)?.[1];
    const id = slugOf(heading ?? "");
    if (heading !== undefined && ids.has(id))
      parts.push({ id, title: plain(heading), at: text.length });
    text += `${plain(section.replace(/^## (.*)/, "$1: "))} `;
  }
  return { text, parts };
}

/** Markdown in one line, without its marks. */
function plain(source: string): string {
  return source
    .replaceAll(/\[([^\][]*)\]\([^()]*\)/g, "$1")
    .replaceAll(/^(?:#+|-|\d+\.) |^\|[-|: ]+\|$/gm, "")
    .replaceAll(/\*\*|`/g, "")
    .replaceAll(/[\s|]+/g, " ")
    .trim();
}
