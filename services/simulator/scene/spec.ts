/** What a scene shows: the little of a prompt that drawing needs. Loads nothing that draws. */
import type { Hour } from "./palette.ts";
import { seedOf } from "./random.ts";

export type Size = { readonly width: number; readonly height: number };

export type SceneSpec = {
  /** Decides everything that is left to chance; follows from the seed and the whole prompt. */
  readonly random_seed: number;
  readonly hour: Hour;
  /** The lines as they are drawn: wrapped and cut. */
  readonly caption: readonly string[];
};

const HOURS: readonly Hour[] = ["dawn", "day", "dusk", "night"];
const HOUR_WORDS: readonly (readonly [Hour, RegExp])[] = [
  ["night", /\b(night|midnight|moon\w*|dark|stars|neon|space|galax\w+|planets?)\b/],
  ["dusk", /\b(sunset|dusk|evening|golden|twilight)\b/],
  ["dawn", /\b(sunrise|dawn|morning|mist\w*|pink)\b/],
  ["day", /\b(day|noon|sunny|bright|summer|blue)\b/],
];

/** The same prompt, seed and size always give the same one. Where no word names the hour, chance does. */
export function sceneSpecOf(prompt: string, seed: number, size: Size): SceneSpec {
  const random_seed = seedOf(`${seed}:${prompt}`);
  const text = prompt.toLowerCase();
  const named = HOUR_WORDS.find(([, words]) => words.test(text))?.[0];
  const byChance = HOURS[seedOf(`hour of ${random_seed}`) % HOURS.length];
  const hour = named ?? byChance ?? "day";
  const fitting = Math.floor((size.width / dotOf(size) - 2 * MARGIN_DOTS) / CELL_WIDTH);
  const columns = Math.min(MAX_COLUMNS, Math.max(4, fitting));
  return { random_seed, hour, caption: wrapLines(readable(prompt), columns) };
}

const MAX_LINES = 2;
/** Keeps the captions of very wide pictures short: they are part of job ids. */
const MAX_COLUMNS = 120;
/** In dots of the font: from one letter to the next, and around the caption. */
export const CELL_WIDTH = 6;
export const MARGIN_DOTS = 10;

/** The side of a dot of the font, in pixels. */
export function dotOf(size: Size): number {
  return Math.max(1, Math.round(Math.min(size.width, size.height) / 270));
}

/** Breaks a text between words where it can; an ellipsis says that there is more. */
function wrapLines(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns && lines.length < MAX_LINES) {
    const space = rest.lastIndexOf(" ", columns);
    const line = rest.slice(0, space === -1 ? columns : space);
    const isLast = lines.length === MAX_LINES - 1;
    lines.push(isLast ? `${line.slice(0, columns - 3).trimEnd()}...` : line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines.length < MAX_LINES ? [...lines, rest] : lines;
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
