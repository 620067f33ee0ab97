/** Formats results as lines, tables and CSV. */
import { csvLine } from "#runtime/csv.ts";

export type Value = string | number | boolean | null;
export type OutputRow = Readonly<Record<string, Value>>;

/** One row: a line for each field. */
export function asLines(row: OutputRow): string {
  const width = Math.max(...Object.keys(row).map((key) => key.length));
  return Object.entries(row)
    .map(
      ([key, value]) =>
        `${key.replaceAll("_", " ").padEnd(width)}  ${value === null || value === "" ? "-" : value}\n`,
    )
    .join("");
}

/** Rows with the same fields as a table, numbers aligned right. */
export function asTable(columns: readonly string[], rows: readonly OutputRow[]): string {
  const cells = [columns, ...rows.map((row) => columns.map((name) => String(row[name] ?? "")))];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((line) => line[index]?.length ?? 0)),
  );
  const isNumber = columns.map((name) => rows.every((row) => typeof row[name] === "number"));
  return cells
    .map((line) => {
      const padded = line.map((cell, index) =>
        isNumber[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      );
      return `${padded.join("  ").trimEnd()}\n`;
    })
    .join("");
}

export function asCsv(columns: readonly string[], rows: readonly OutputRow[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map(csvLine).join("");
}
