/** Pictures as base64: decodes results that an answer contains, and writes inputs that a request contains. */
import type { Picture, Source } from "../provider.ts";

const DATA_URI = /^data:[^,]*;base64,/;

/** Decodes base64, with or without the prefix of a data URI; returns undefined if it has no bytes. */
export function inlineSource(text: string): Source | undefined {
  const content = Buffer.from(text.replace(DATA_URI, ""), "base64");
  return content.length === 0 ? undefined : { content };
}

/** The picture as a data URI. */
export function dataUri({ content, contentType }: Picture): string {
  return `data:${contentType};base64,${Buffer.from(content).toString("base64")}`;
}
