/** A page of the documentation, and its addresses. */

export type Page = {
  /** Below /docs; empty for the first page. */
  path: string;
  title: string;
  /** The section of the navigation that it is in. */
  section: string;
  /** Markdown. */
  source: string;
  /** What it is, where the title does not say it. */
  note?: string;
};

/** The pages by the section of the navigation. */
export function sectionsOf(pages: readonly Page[]): Map<string, Page[]> {
  return Map.groupBy(pages, ({ section }) => section);
}

/** Where a page is, as HTML. */
export function pageUrl(path: string): string {
  return path === "" ? "/docs" : `/docs/${path}`;
}

/** Where a page is, as Markdown. */
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
