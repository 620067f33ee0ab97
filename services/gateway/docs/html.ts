/** Pages and their addresses; Markdown of this project as HTML, and the frame of every page. */
import { Marked } from "marked";
import { createRequire } from "node:module";

type Highlighter = {
  registerLanguage: (name: string, language: unknown) => void;
  registerAliases: (alias: string, options: { languageName: string }) => void;
  getLanguage: (name: string) => unknown;
  highlight: (text: string, options: { language: string }) => { value: string };
};

// An import would bring its types, and with them those of browsers, into the whole program.
const require = createRequire(import.meta.url);
const highlighter = require("highlight.js/lib/core") as Highlighter;
for (const name of ["bash", "json", "python", "typescript"])
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));
highlighter.registerAliases("curl", { languageName: "bash" });

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** Where code may be broken: behind dots, slashes and opening brackets, and on phones within a name. */
const [AFTER_MARK, IN_NAME] = [/(?<=[./(])(?=[a-z{])/gi, /(?<=[_[])|(?<=[a-z])(?=[A-Z])/g];

const marked = new Marked({
  renderer: {
    codespan({ text }) {
      const code = escaped(text).replaceAll(AFTER_MARK, "<wbr>");
      return `<code>${code.replaceAll(IN_NAME, '<wbr class="in-name">')}</code>`;
    },
    // Each heading is a link to itself, to be copied.
    heading({ tokens, depth, text }) {
      const title = this.parser.parseInline(tokens);
      const id = slugOf(text);
      if (depth === 1) return `<h1>${title}</h1>`;
      return `<h${depth} id="${id}"><a href="#${id}">${title}</a></h${depth}>\n`;
    },
    // Colours are spans with classes: the page's policy allows no inline style.
    code({ text, lang = "" }) {
      const [language = "", ...label] = lang.split(" ");
      const code = highlighter.getLanguage(language)
        ? highlighter.highlight(text, { language }).value
        : escaped(text);
      const block = `<pre class="code" data-language="${escaped(language)}" tabindex="0"><code>${code}</code></pre>`;
      if (label.length === 0) return block;
      const name = escaped(label.join(" "));
      return `<section data-sample="${name}"><h3>${name}</h3>${block}</section>`;
    },
    // A wide table scrolls on its own, also by keyboard.
    table({ header, rows }) {
      // On phones each cell stands below the name of its column.
      const names = header.map(({ text }) => ` data-head="${escaped(text.replaceAll("`", ""))}"`);
      const named = (cell: string, at: number) => cell.replace("<td", () => `<td${names[at]}`);
      const row = (cells: typeof header) =>
        `<tr>${cells.map((cell, at) => named(this.tablecell(cell), at)).join("")}</tr>`;
      const body = rows.map(row).join("");
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead>${row(header)}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

/** Fences in a row with a label after their language (```ts TypeScript) are one sample, with a button for each. */
function markdown(text: string): string {
  return marked
    .parse(text, { async: false })
    .replaceAll(
      /(?:<section data-sample=.*?<\/section>\s*)+/gs,
      (sections) => `<div class="samples">${sections}</div>`,
    );
}

/** A whole document. */
export function layout(page: Page, pages: readonly Page[]): string {
  const content = markdown(page.source);
  const sections = [...Map.groupBy(pages, ({ section }) => section)].map(([section, members]) => {
    const links = members.map((member) => {
      const current = member === page ? ' aria-current="page"' : "";
      return `<li><a href="${pageUrl(member.path)}"${current}>${escaped(member.title)}</a></li>`;
    });
    return `<h2>${section}</h2><ul>${links.join("")}</ul>`;
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escaped(page.title)} · Media Generation API</title>
    <link rel="icon" type="image/svg+xml" href="/docs/files/icon.svg" />
    <link rel="stylesheet" href="/docs/files/page.css" />
    <script src="/docs/files/page.js" type="module" blocking="render"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header>
      <a class="home" href="/docs" aria-label="Media Generation API">
        <img src="/docs/files/icon.svg" width="26" height="26" alt="" />
        <span>Media Generation API</span>
      </a>
      <search>
        <input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" />
        <div id="found" role="region" aria-label="Search results" aria-live="polite" hidden></div>
      </search>
      <a href="/dashboard">Dashboard</a>
    </header>
    <nav aria-label="Documentation">
      <details id="contents" open>
        <summary>Contents</summary>
        <div>${sections.join("\n")}</div>
      </details>
    </nav>
    ${partsOf(content)}
    <main id="content">
      ${pages.includes(page) ? `<p class="source"><a href="${markdownUrl(page.path)}">View as Markdown</a></p>` : ""}
      ${content}
    </main>
  </body>
</html>
`;
}

/** Links to the parts of a page; none where it has no two of them. */
function partsOf(content: string): string {
  const headings = [...content.matchAll(/<h([23]) id="(.*?)"><a href="#\2">(.*?)<\/a><\/h\1>/gs)];
  if (headings.length < 2) return "";
  const links = headings.map(
    ([, depth, id, title]) => `<li data-depth="${depth}"><a href="#${id}">${title}</a></li>`,
  );
  return `<nav class="parts" aria-label="On this page"><details id="parts" open><summary>On this page</summary><ul>${links.join("")}</ul></details></nav>`;
}

export type Page = {
  /** Below /docs; empty for the first page. */
  path: string;
  title: string;
  section: string;
  /** Markdown. */
  source: string;
  /** What it is, where the title does not say it. */
  note?: string | undefined;
};

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
