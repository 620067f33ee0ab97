/** The CSV of a list, one page of it at a time. */
import { csvLine } from "#runtime/csv.ts";

type Cell = Parameters<typeof csvLine>[0][number];

type CsvPage<Column extends string> = {
  rows: readonly { [name in Column]?: Cell }[];
  /** Where the next page begins; undefined after the last one. */
  next: string | undefined;
};

/** `read` reads the page that begins after `after`. The header is the columns' names. */
export async function* csvPages<Column extends string>(
  columns: readonly Column[],
  read: (after: string | undefined) => Promise<CsvPage<Column>>,
): AsyncGenerator<string, void> {
  let header = csvLine(columns);
  let after: string | undefined;
  do {
    const { rows, next } = await read(after);
    yield header + rows.map((row) => csvLine(columns.map((name) => row[name]))).join("");
    header = "";
    after = next;
  } while (after !== undefined);
}
