/** The frame of every page of the documentation: navigation, search, theme, the parts of the page, its neighbours. */
import { headingsOf, html, type Html } from "./html.ts";
import { ERRORS_GROUP, markdownUrl, pageUrl, sectionsOf, type Page } from "./site.ts";

/** A whole document. */
export function layout(page: Page, pages: readonly Page[]): string {
  const sections = [...sectionsOf(pages)].map(([section, members]) =>
    section === ERRORS_GROUP
      ? folded(section, members, page)
      : html`<h2>${section}</h2>
          ${list(members, page)}`,
  );
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${page.title} · Media Generation API</title>
        <link rel="icon" type="image/svg+xml" href="/docs/files/icon.svg" />
        <link rel="stylesheet" href="/docs/files/page.css" />
        <script src="/docs/files/before-paint.js"></script>
        <script src="/docs/files/page.js" type="module" blocking="render"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <a class="home" href="/docs">
            <img src="/docs/files/icon.svg" width="26" height="26" alt="" />
            <span>Media Generation API</span>
          </a>
          <a class="menu" href="#pages" aria-label="Contents">
            <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
              <path d="M1 3h14M1 8h14M1 13h14" stroke="currentColor" stroke-width="2" />
            </svg>
          </a>
          <search>
            <input
              id="search"
              type="search"
              placeholder="Search (Ctrl-K)"
              aria-label="Search the documentation"
              autocomplete="off"
            />
            <div
              id="found"
              role="region"
              aria-label="Search results"
              aria-live="polite"
              hidden
            ></div>
          </search>
          <a href="/dashboard">Dashboard</a>
          <button id="theme" type="button">Dark</button>
        </header>
        <nav aria-label="Documentation">
          <details id="contents" open>
            <summary>Contents</summary>
            <div id="pages">${sections}</div>
          </details>
        </nav>
        ${partsOf(page)}
        <main id="content">
          ${pages.includes(page) ? html`<p class="source"><a href="${markdownUrl(page.path)}">View as Markdown</a></p>` : undefined}
          ${page.content} ${neighbours(page, pages)}
        </main>
      </body>
    </html> `.text
  }`;
}

function list(members: readonly Page[], current: Page): Html {
  return html`<ul>
    ${members.map((member) => link(member, current))}
  </ul>`;
}

function folded(group: string, members: readonly Page[], current: Page): Html {
  const isOpen = current.group === group;
  return html`<details ${isOpen ? html`open` : undefined}>
    <summary>${group}</summary>
    ${list(members, current)}
  </details>`;
}

/** Links to the parts of a page; none where it has no two of them. */
function partsOf({ content }: Page): Html | undefined {
  const headings = headingsOf(content);
  if (headings.length < 2) return undefined;
  return html`<nav class="parts" aria-label="On this page">
    <details id="parts" open>
      <summary>On this page</summary>
      <ul>
        ${headings.map(({ depth, id, title }) => html`<li data-depth="${depth}"><a href="#${id}">${title}</a></li>`)}
      </ul>
    </details>
  </nav>`;
}

/** Links to the pages before and after, in the order of the navigation. */
function neighbours(page: Page, pages: readonly Page[]): Html | undefined {
  const index = pages.indexOf(page);
  if (index === -1) return undefined;
  const [before, after] = [index === 0 ? undefined : pages[index - 1], pages[index + 1]];
  return html`<nav class="neighbours" aria-label="Previous and next page">
    ${before && html`<a href="${pageUrl(before.path)}" rel="prev">Previous: ${before.title}</a>`}
    ${after && html`<a href="${pageUrl(after.path)}" rel="next">Next: ${after.title}</a>`}
  </nav>`;
}

function link(page: Page, current: Page): Html {
  const { path, title } = page;
  const isCurrent = page === current;
  return html`<li>
    <a href="${pageUrl(path)}" ${isCurrent ? html`aria-current="page"` : undefined}>${title}</a>
  </li>`;
}
