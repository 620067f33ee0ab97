/** Prints results as lines, tables, CSV or JSON. */
import { csvLine, type Cell } from "#runtime/csv.ts";

export type OutputRow = Readonly<Record<string, unknown>>;

export type Format = { json?: boolean; csv?: boolean };

/** Lists and objects in words; JSON has them as they are. */
function cell(value: unknown): Cell {
  if (Array.isArray(value)) return value.map(cell).join("; ");
  if (value === null || typeof value !== "object") return value as Cell;
  return Object.entries(value)
    .map(([name, part]) => `${name} ${cell(part) ?? "-"}`)
    .join(", ");
}

/** One row: a line for each field. */
function asLines(row: OutputRow): string {
  const width = Math.max(...Object.keys(row).map((key) => key.length));
  return Object.entries(row)
    .map(([key, value]) => {
      const text = String(cell(value) ?? "") || "-";
      return `${key.replaceAll("_", " ").padEnd(width)}  ${text}\n`;
    })
    .join("");
}

/** Rows with the same fields as a table, numbers aligned right, and `none` where a row has no value. */
export function asTable(columns: readonly string[], rows: readonly OutputRow[], none = ""): string {
  const cells = [
    columns,
    ...rows.map((row) => columns.map((name) => String(cell(row[name]) ?? none))),
  ];
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

function asCsv(columns: readonly string[], rows: readonly OutputRow[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => cell(row[name])))];
  return lines.map(csvLine).join("");
}

export function print(json: boolean | undefined, row: OutputRow): void {
  process.stdout.write(json ? `${JSON.stringify(row)}\n` : asLines(row));
}

/** Says on standard error that there are no rows, so that the output is only what was found. */
export function printList(
  { json, csv }: Format,
  columns: readonly string[],
  rows: readonly OutputRow[],
  none = "Nothing was found.",
): void {
  if (json) return void process.stdout.write(`${JSON.stringify(rows)}\n`);
  process.stdout.write(csv ? asCsv(columns, rows) : asTable(columns, rows));
  if (rows.length === 0) process.stderr.write(`${none}\n`);
}

/** Says something beside the answer, which standard output has alone. */
export function note(text: string): void {
  process.stderr.write(`Note: ${text}\n`);
}
