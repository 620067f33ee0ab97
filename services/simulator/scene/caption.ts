/** The prompt as a soft caption at the lower edge, wrapped to the width and clipped. */
import { createCanvas } from "@napi-rs/canvas";
import type { SKRSContext2D } from "@napi-rs/canvas";
import { GLYPH_HEIGHT, GLYPH_WIDTH, glyphOf } from "./pixel-font.ts";
import { still } from "./sprite.ts";
import type { Size, Sprite } from "./sprite.ts";

const MAX_LINES = 2;
/** Keeps the captions of very wide pictures short: they are part of job ids. */
const MAX_COLUMNS = 120;
const CELL_WIDTH = GLYPH_WIDTH + 1;
const LINE_HEIGHT = GLYPH_HEIGHT + 4;
const MARGIN_DOTS = 10;

/** The lines of a prompt's caption in a picture of this size. */
export function captionLines(prompt: string, size: Size): string[] {
  const columns = Math.floor((size.width / dotOf(size) - 2 * MARGIN_DOTS) / CELL_WIDTH);
  return wrapLines(prompt, Math.min(MAX_COLUMNS, Math.max(4, columns)), MAX_LINES);
}

export function drawCaption(lines: readonly string[], size: Size): Sprite {
  const dot = dotOf(size);
  const height = Math.min(size.height, dot * (lines.length * LINE_HEIGHT + 2 * MARGIN_DOTS));
  const canvas = createCanvas(size.width, height);
  const context = canvas.getContext("2d");
  const scrim = context.createLinearGradient(0, 0, 0, height);
  scrim.addColorStop(0, "rgba(4, 6, 18, 0)");
  scrim.addColorStop(1, "rgba(4, 6, 18, 0.55)");
  context.fillStyle = scrim;
  context.fillRect(0, 0, size.width, height);
  lines.forEach((line, index) => {
    const x = dot * MARGIN_DOTS;
    const y = dot * (MARGIN_DOTS + index * LINE_HEIGHT + 2);
    drawLine(context, line, x + dot * 0.5, y + dot * 0.5, dot, "rgba(0, 0, 10, 0.4)");
    drawLine(context, line, x, y, dot, "rgba(255, 255, 255, 0.88)");
  });
  return still(canvas, 0, size.height - height);
}

function dotOf(size: Size): number {
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

function drawLine(
  context: SKRSContext2D,
  line: string,
  x: number,
  y: number,
  dot: number,
  color: string,
): void {
  context.fillStyle = color;
  line.split("").forEach((character, index) => {
    glyphOf(character).forEach((bits, column) => {
      for (let row = 0; row < GLYPH_HEIGHT; row++) {
        if ((bits & (1 << row)) === 0) continue;
        const left = x + dot * (index * CELL_WIDTH + column);
        context.fillRect(left, y + dot * row, dot, dot);
      }
    });
  });
}
