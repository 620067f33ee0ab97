/** Colours code by its language, as spans with classes: the page's policy allows no inline style. */
import { createRequire } from "node:module";

const LANGUAGES = ["bash", "json", "python", "typescript"];

type Highlighter = {
  registerLanguage: (name: string, language: unknown) => void;
  registerAliases: (alias: string, options: { languageName: string }) => void;
  getLanguage: (name: string) => unknown;
  highlight: (text: string, options: { language: string }) => { value: string };
};

// An import would bring its types, and with them those of browsers, into the whole program.
const require = createRequire(import.meta.url);
const highlighter = require("highlight.js/lib/core") as Highlighter;
for (const name of LANGUAGES) {
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));
}
highlighter.registerAliases("curl", { languageName: "bash" });

/** The code as HTML; undefined where the language is not known. */
export function highlighted(text: string, language: string): string | undefined {
  if (!highlighter.getLanguage(language)) return undefined;
  return highlighter.highlight(text, { language }).value;
}
