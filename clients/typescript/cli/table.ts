/** Rows as lines in columns. */

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
