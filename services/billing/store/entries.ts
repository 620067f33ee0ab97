/** Lists entries of the ledger, newest first. */
import type { ModeName } from "#vocabulary/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { literal } from "#runtime/postgres/literal.ts";
import type { TransactionTypeName } from "#vocabulary/transaction-type.ts";
import type { EntryRow } from "../domain/transaction.ts";

export type Page = {
  accountId: string;
  mode: ModeName;
  generationId: string | undefined;
  type: TransactionTypeName | undefined;
  /** The last entry of the page before. */
  after: EntryCursor | undefined;
  /** Inclusive. With this or `createdBefore`, entries are ordered by time. */
  createdFrom?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
  limit: number;
};

/** The position of an entry in the list. */
export type EntryCursor = { sequence: bigint; createdAt: Date };

/** Sequences follow the order of changes within a balance, because they are drawn under its row lock. */
export function listEntries(sql: Db, page: Page): Promise<EntryRow[]> {
  const { generationId, type, after, createdFrom, createdBefore } = page;
  const isByTime = createdFrom !== undefined || createdBefore !== undefined;
  return sql<EntryRow[]>`
    select id, type, generation_id, available_change, available_after, note, created_at
    from billing.entries
    where account_id = ${page.accountId} and mode = ${page.mode}
      ${generationId === undefined ? sql`` : sql`and generation_id = ${generationId}`}
      ${type === undefined ? sql`` : sql`and type = ${literal(sql, type)}`}
      ${createdFrom === undefined ? sql`` : sql`and created_at >= ${createdFrom}`}
      ${createdBefore === undefined ? sql`` : sql`and created_at < ${createdBefore}`}
      ${after === undefined ? sql`` : olderThan(sql, after, isByTime)}
    order by ${isByTime ? sql`created_at desc, sequence desc` : sql`sequence desc`}
    limit ${page.limit}`;
}

function olderThan(sql: Db, { sequence, createdAt: at }: EntryCursor, isByTime: boolean) {
  const bound = sequence.toString();
  return isByTime
    ? sql`and (created_at, sequence) < (${at}, ${bound}::bigint)`
    : sql`and sequence < ${bound}::bigint`;
}

/** The position of an entry; undefined when the account and mode have no such entry. */
export async function findCursor(
  sql: Db,
  accountId: string,
  mode: ModeName,
  id: string,
): Promise<EntryCursor | undefined> {
  const [row] = await sql<EntryCursor[]>`
    select sequence, created_at from billing.entries
    where account_id = ${accountId} and mode = ${mode} and id = ${id}`;
  return row;
}
