/** Reads billing.entries, newest first. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { EntryRow, EntryType } from "../domain/transaction.ts";

export type Page = {
  accountId: string;
  mode: ModeName;
  generationId: string | undefined;
  type: EntryType | undefined;
  /** The last entry of the page before. */
  after: Place | undefined;
  /** From here (inclusive); with it or `createdBefore` the order is that of the times. */
  createdFrom?: Date | undefined;
  /** Up to here (exclusive). */
  createdBefore?: Date | undefined;
  limit: number;
};

/** Where an entry stands. */
export type Place = { sequence: bigint; created_at: Date };

/** Within one balance the order of sequences is the order of changes: its lock is held when one is taken. */
export function listEntries(sql: Db, page: Page): Promise<EntryRow[]> {
  const { generationId, type, after, createdFrom, createdBefore } = page;
  const isByTime = createdFrom !== undefined || createdBefore !== undefined;
  return sql<EntryRow[]>`
    select id, type, generation_id, available_change, available_after, note, created_at
    from billing.entries
    where account_id = ${page.accountId} and mode = ${page.mode}
      ${generationId === undefined ? sql`` : sql`and generation_id = ${generationId}`}
      ${type === undefined ? sql`` : sql`and type = ${type}`}
      ${createdFrom === undefined ? sql`` : sql`and created_at >= ${createdFrom}`}
      ${createdBefore === undefined ? sql`` : sql`and created_at < ${createdBefore}`}
      ${after === undefined ? sql`` : behind(sql, after, isByTime)}
    order by ${isByTime ? sql`created_at desc, sequence desc` : sql`sequence desc`}
    limit ${page.limit}`;
}

function behind(sql: Db, { sequence, created_at: at }: Place, isByTime: boolean) {
  const place = sequence.toString();
  return isByTime
    ? sql`and (created_at, sequence) < (${at}, ${place}::bigint)`
    : sql`and sequence < ${place}::bigint`;
}

/** Where an entry of that account and mode stands, or undefined where there is none. */
export async function findPlace(
  sql: Db,
  accountId: string,
  mode: ModeName,
  id: string,
): Promise<Place | undefined> {
  const [row] = await sql<Place[]>`
    select sequence, created_at from billing.entries
    where account_id = ${accountId} and mode = ${mode} and id = ${id}`;
  return row;
}
