/** HTML as text: values are escaped unless they are HTML already. */
import { Marked } from "marked";
import { highlighted } from "./highlight.ts";

/** Text that is HTML; nothing in it is escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | undefined | readonly (Html | undefined)[];

/** Escapes strings and numbers, joins lists, and leaves out what is undefined. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const parts = strings.map((text, index) => text + textOf(values[index]));
  return new Html(parts.join(""));
}

function textOf(value: Value): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(textOf).join("");
  return escaped(String(value));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** The id of a heading: its words in lower case, joined by hyphens. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const title = new Html(this.parser.parseInline(tokens));
      return depth === 1 ? html`<h1>${title}</h1>`.text : heading(depth, slugOf(text), title).text;
    },
    code({ text, lang = "" }) {
      const [language = "", ...label] = lang.split(" ");
      const block = codeBlock(text, language);
      return label.length === 0 ? block.text : sample(label.join(" "), block).text;
    },
    // A wide table scrolls on its own, also by keyboard.
    table({ header, rows }) {
      const row = (cells: typeof header) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join("")}</tr>`;
      const body = rows.map(row).join("");
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead>${row(header)}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

/**
 * Markdown of this project as HTML. Fences that follow each other with a label after their language (```ts TypeScript)
 * are one sample, with a tab for each.
 */
export function markdown(text: string): Html {
  const parsed = marked.parse(text, { async: false });
  return new Html(
    parsed.replaceAll(
      /(?:<section data-sample=.*?<\/section>\s*)+/gs,
      (sections) => `<div class="samples">${sections}</div>`,
    ),
  );
}

function sample(label: string, block: Html): Html {
  return html`<section data-sample="${label}">
    <h3>${label}</h3>
    ${block}
  </section>`;
}

export function codeBlock(text: string, language: string): Html {
  const code = highlighted(text, language);
  return html`<div class="block">
    <pre
      class="code"
      tabindex="0"
      data-language="${language}"
    ><code>${code === undefined ? text : new Html(code)}</code></pre>
  </div>`;
}

/** A heading that is a link to itself, to be copied. */
export function heading(depth: number, id: string, title: string | Html): Html {
  const level = new Html(`h${depth}`);
  return html`<${level} id="${id}"><a href="#${id}">${title}</a></${level}> `;
}

/** The headings of parts of the page, and of their parts. */
export function headingsOf({ text }: Html): { depth: number; id: string; title: Html }[] {
  const found = text.matchAll(/<h([2-9]) id="(.*?)"><a href="#\2">(.*?)<\/a><\/h\1>/gs);
  return [...found].map(([, depth, id = "", title = ""]) => ({
    depth: Number(depth),
    id,
    title: new Html(title),
  }));
}
