/** Deletes the rows of a table that are old, a limited number of rows per statement. */
import type { OldRows, RowKey } from "../store/old-rows.ts";

const ROWS_PER_STATEMENT = 1_000;

/** Looks at all rows once; returns early when `signal` aborts. */
export async function forgetBefore(
  deleteOld: (rows: OldRows) => Promise<RowKey | undefined>,
  before: Date,
  signal: AbortSignal,
): Promise<void> {
  let after: RowKey | undefined = { accountId: "", generationId: "" };
  while (after && !signal.aborted) {
    after = await deleteOld({ before, after, limit: ROWS_PER_STATEMENT });
  }
}
