/** A page of the documentation, and its addresses. */

export type Page = {
  /** Below /docs; empty for the first page. */
  path: string;
  title: string;
  section: string;
  /** Markdown. */
  source: string;
  /** What it is, where the title does not say it. */
  note?: string;
};

export function sectionsOf(pages: readonly Page[]): Map<string, Page[]> {
  return Map.groupBy(pages, ({ section }) => section);
}

export function pageUrl(path: string): string {
  return path === "" ? "/docs" : `/docs/${path}`;
}

export function markdownUrl(path: string): string {
  return `/docs/${path === "" ? "index" : path}.md`;
}

/** The id of a heading: its words in lower case, joined by hyphens; of a code or a model, what it is. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.]+/g, "-")
    .replaceAll(/^-|(?<![-.])[-.]+$/g, "");
}
