/** Decodes results that an answer contains as base64. */
import type { Source } from "../provider.ts";

const DATA_URI = /^data:[^,]*;base64,/;

/** Decodes base64, with or without the prefix of a data URI; returns undefined if it has no bytes. */
export function inlineSource(text: string): Source | undefined {
  const content = Buffer.from(text.replace(DATA_URI, ""), "base64");
  return content.length === 0 ? undefined : { content };
}
