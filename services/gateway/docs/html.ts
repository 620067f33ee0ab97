/** HTML as text: values are escaped unless they are HTML already. */
import { Marked } from "marked";

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
      const id = slugOf(text);
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text, lang = "" }) => codeBlock(text, lang).text,
    // A wide table scrolls on its own, also by keyboard.
    table({ header, rows }) {
      const row = (cells: typeof header) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join("")}</tr>`;
      const body = rows.map(row).join("");
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead>${row(header)}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

/** Markdown of this project as HTML. */
export function markdown(text: string): Html {
  return new Html(marked.parse(text, { async: false }));
}

export function codeBlock(text: string, language: string): Html {
  return html`<pre
    class="code"
    tabindex="0"
    data-language="${language}"
  ><code>${text}</code></pre>`;
}
