/** Entries of the ledger: lists, newest first, and sums for statements. */
import { first, type Db } from "#runtime/postgres/connect.ts";
import { literal } from "#runtime/postgres/values.ts";
import type { TransactionTypeName } from "#vocabulary/names.ts";
import type { Owner } from "./balances.ts";

/** A change of a balance. */
export type EntryRow = {
  id: string;
  type: TransactionTypeName;
  generationId: string | null;
  availableChange: bigint;
  availableAfter: bigint;
  spentChange: bigint;
  reference: string | null;
  note: string | null;
  createdAt: Date;
};

export type Page = Owner & {
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
    select id, type, generation_id, available_change, available_after, spent_change, reference, note, created_at
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
export function findCursor(sql: Db, { accountId, mode }: Owner, id: string) {
  return first(sql<EntryCursor[]>`
    select sequence, created_at from billing.entries
    where account_id = ${accountId} and mode = ${mode} and id = ${id}`);
}

/** Sums by type of the entries from `from` (inclusive) to `to` (exclusive), all of which are read. */
export function statementLines(sql: Db, { accountId, mode }: Owner, from: Date, to: Date) {
  return sql<({ type: TransactionTypeName } & Record<"count" | "tokens" | "available", bigint>)[]>`
    select type, count(*) as count, sum(available_change + reserved_change)::bigint as tokens,
      sum(available_change)::bigint as available
    from billing.entries
    where account_id = ${accountId} and mode = ${mode} and created_at >= ${from} and created_at < ${to}
    group by type
    order by type`;
}

/** Available plus reserved Tokens just before `at`. Reads the entries since the beginning of its month, or of this one. */
export async function heldBefore(sql: Db, { accountId, mode }: Owner, at: Date, now: Date) {
  const [row] = await sql<{ tokens: bigint }[]>`
    select billing.held_before(${accountId}, ${mode}, ${at}, ${now}) as tokens`;
  return row?.tokens ?? 0n;
}

/**
 * Available Tokens just before `at`: what the last entry before left. Entries of processes whose clocks differ may have
 * times out of order, so those near `at` are added or taken away by their own time, as lines count them.
 */
export async function availableBefore(sql: Db, { accountId, mode }: Owner, at: Date) {
  const [row] = await sql<{ tokens: bigint }[]>`
    with last as (
      select sequence, available_after from billing.entries
      where account_id = ${accountId} and mode = ${mode} and created_at < ${at}
      order by created_at desc, sequence desc
      limit 1
    )
    select (available_after + coalesce((
      select sum(case when e.created_at < ${at} then e.available_change else -e.available_change end)
      from billing.entries e
      where e.account_id = ${accountId} and e.mode = ${mode}
        and e.created_at > ${at}::timestamptz - interval '10 minutes'
        and e.created_at < ${at}::timestamptz + interval '10 minutes'
        and (e.created_at < ${at}) = (e.sequence > last.sequence)
    ), 0))::bigint as tokens
    from last`;
  return row?.tokens ?? 0n;
}
