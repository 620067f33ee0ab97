/** Reads billing.entries, newest first. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres.ts";
import type { EntryRow, EntryType } from "../domain/transaction.ts";

export type Page = {
  accountId: string;
  mode: ModeName;
  generationId: string | undefined;
  type: EntryType | undefined;
  /** Sequence of the last entry of the page before. */
  after: bigint | undefined;
  limit: number;
};

/** Within one balance the order of sequences is the order of changes: its lock is held when one is taken. */
export function listEntries(sql: Db, page: Page): Promise<EntryRow[]> {
  const { generationId, type, after } = page;
  return sql<EntryRow[]>`
    select id, type, generation_id, available_change, available_after, note, created_at
    from billing.entries
    where account_id = ${page.accountId} and mode = ${page.mode}
      ${generationId === undefined ? sql`` : sql`and generation_id = ${generationId}`}
      ${type === undefined ? sql`` : sql`and type = ${type}`}
      ${after === undefined ? sql`` : sql`and sequence < ${after.toString()}::bigint`}
    order by sequence desc
    limit ${page.limit}`;
}

/** Where an entry of that account and mode stands, or undefined where there is none. */
export async function findSequence(
  sql: Db,
  accountId: string,
  mode: ModeName,
  id: string,
): Promise<bigint | undefined> {
  const [row] = await sql<{ sequence: bigint }[]>`
    select sequence from billing.entries
    where account_id = ${accountId} and mode = ${mode} and id = ${id}`;
  return row?.sequence;
}
