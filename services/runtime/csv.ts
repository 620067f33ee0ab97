/** Formats CSV (RFC 4180). */

export type Cell = string | number | boolean | null | undefined;

/** One line with its line end. A leading quote keeps spreadsheets from running a cell as a formula. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: Cell): string {
  if (typeof value !== "string") return String(value ?? "");
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
