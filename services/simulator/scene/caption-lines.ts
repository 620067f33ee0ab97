/** How a prompt is broken into the lines of a caption; loads nothing that draws. */
import { GLYPH_WIDTH } from "./pixel-font.ts";
import type { Size } from "./sprite.ts";

const MAX_LINES = 2;
/** Keeps the captions of very wide pictures short: they are part of job ids. */
const MAX_COLUMNS = 120;
export const CELL_WIDTH = GLYPH_WIDTH + 1;
export const MARGIN_DOTS = 10;

/** The lines of a prompt's caption in a picture of this size. */
export function captionLines(prompt: string, size: Size): string[] {
  const columns = Math.floor((size.width / dotOf(size) - 2 * MARGIN_DOTS) / CELL_WIDTH);
  return wrapLines(prompt, Math.min(MAX_COLUMNS, Math.max(4, columns)), MAX_LINES);
}

/** The side of a dot of the font, in pixels. */
export function dotOf(size: Size): number {
  return Math.max(1, Math.round(Math.min(size.width, size.height) / 270));
}

/** Breaks a text between words into at most `maxLines`; an ellipsis says that there is more. */
export function wrapLines(text: string, columns: number, maxLines: number): string[] {
  const words = readable(text).split(" ");
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= columns || line === "") {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
    if (lines.length > maxLines) break;
  }
  lines.push(line);
  const kept = lines.slice(0, maxLines).map((each) => clip(each, columns, false));
  const last = kept.length - 1;
  return lines.length > maxLines
    ? kept.map((each, index) => (index === last ? clip(each, columns, true) : each))
    : kept;
}

function clip(line: string, columns: number, more: boolean): string {
  if (line.length <= columns && !more) return line;
  return `${line.slice(0, columns - 3).trimEnd()}...`;
}

/** Accents off, other scripts as one box a character, and single spaces. */
function readable(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[\u2018\u2019]/gu, "'")
    .replace(/[\u201c\u201d]/gu, '"')
    .replace(/[\u2013\u2014]/gu, "-")
    .replace(/\s+/gu, " ")
    .replace(/[^\x20-\x7e]/gu, "\x7f")
    .trim();
}
