/** Rows as lines in columns, and the colours of a terminal. */

const GREEN = "\u001B[32m";
const YELLOW = "\u001B[33m";
const GREY = "\u001B[90m";
export const RED = "\u001B[31m";
export const END = "\u001B[0m";
const COLOURS: Readonly<Record<string, string>> = {
  success: GREEN,
  delivered: GREEN,
  failed: RED,
  exhausted: RED,
  canceled: GREY,
  processing: YELLOW,
  pending: YELLOW,
};

/** The line with the first word that is a status in its colour: prompts come after it. */
export function withColours(line: string): string {
  return line.replace(/(?<= {2})[a-z]+(?= {2}|$)/m, (word) => {
    const colour = COLOURS[word];
    return colour === undefined ? word : `${colour}${word}${END}`;
  });
}

export type Row = readonly (string | undefined)[];

/** Columns are as wide as their longest cell; one that has none is left out. */
export function tableLines(rows: readonly Row[], header: Row = []): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => {
    const longest = Math.max(0, ...rows.map((row) => row[i]?.length ?? 0));
    return longest === 0 ? 0 : Math.max(longest, header[i]?.length ?? 0);
  });
  const lineOf = (row: Row) =>
    widths.flatMap((width, i) => (width === 0 ? [] : [(row[i] ?? "").padEnd(width)])).join("  ");
  return [...(header.length > 0 ? [header] : []), ...rows].map((row) => lineOf(row).trimEnd());
}
