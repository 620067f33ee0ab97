/** How answers are shown: a person's table, a program's JSON, a spreadsheet's CSV. */
import { csvLine } from "#runtime/csv.ts";

export type Value = string | number | boolean | null;
export type Answer = Readonly<Record<string, Value>>;

/** One answer: a line for each field. */
export function asLines(answer: Answer): string {
  const width = Math.max(...Object.keys(answer).map((key) => key.length));
  return Object.entries(answer)
    .map(([key, value]) => `${key.replaceAll("_", " ").padEnd(width)}  ${value ?? "-"}\n`)
    .join("");
}

/** Many answers with the same fields: a row for each, numbers to the right. */
export function asTable(columns: readonly string[], rows: readonly Answer[]): string {
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

/** Many answers as CSV, the columns' names first. */
export function asCsv(columns: readonly string[], rows: readonly Answer[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map(csvLine).join("");
}
