/** Formats results as lines, tables and CSV. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { csvLine } from "#runtime/csv.ts";
import { publicTime } from "#vocabulary/public-values.ts";

export type Value = string | number | boolean | null;
export type OutputRow = Readonly<Record<string, Value>>;

/** How rows of one kind are made: each field, and what it shows of `T`. */
export type Fields<T> = Readonly<Record<string, (one: T) => Value>>;

export function rowOf<T>(fields: Fields<T>, one: T): OutputRow {
  return Object.fromEntries(Object.entries(fields).map(([name, shown]) => [name, shown(one)]));
}

export function timeOrNull(at: Timestamp | undefined): string | null {
  return at ? publicTime(at) : null;
}

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
