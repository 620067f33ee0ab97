/** Reads search-words.yaml: by the path of a page, words that readers have for what it says. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";

export function searchWords(): Readonly<Record<string, string>> {
  const file = new URL("./search-words.yaml", import.meta.url);
  return parse(readFileSync(file, "utf8")) as Record<string, string>;
}
