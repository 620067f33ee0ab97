/** Results that stand in the answer itself. */
import type { Source } from "../provider.ts";

const DATA_URI = /^data:[^,]*;base64,/;

/** The bytes of base64, with or without the head of a data URI; undefined where there are none. */
export function inlineSource(text: string): Source | undefined {
  const content = Buffer.from(text.replace(DATA_URI, ""), "base64");
  return content.length === 0 ? undefined : { content };
}
