/** Sums of an account's entries. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import type { TransactionTypeName } from "#vocabulary/transaction-type.ts";

export type StatementLineRow = {
  type: TransactionTypeName;
  count: bigint;
  tokens: bigint;
  available: bigint;
};

/** Sums by type of the entries from `from` (inclusive) to `to` (exclusive), all of which are read. */
export function statementLines(
  sql: Db,
  accountId: string,
  mode: ModeName,
  from: Date,
  to: Date,
): Promise<StatementLineRow[]> {
  return sql<StatementLineRow[]>`
    select type, count(*) as count, sum(available_change + reserved_change)::bigint as tokens,
      sum(available_change)::bigint as available
    from billing.entries
    where account_id = ${accountId} and mode = ${mode} and created_at >= ${from} and created_at < ${to}
    group by type
    order by type`;
}

/** Available plus reserved Tokens just before `at`. Reads the entries since the beginning of its month, or of this one. */
export async function heldBefore(
  sql: Db,
  accountId: string,
  mode: ModeName,
  { at, now }: { at: Date; now: Date },
): Promise<bigint> {
  const [row] = await sql<{ tokens: bigint }[]>`
    select billing.held_before(${accountId}, ${mode}, ${at}, ${now}) as tokens`;
  return row?.tokens ?? 0n;
}

/**
 * Available Tokens just before `at`: what the last entry before left. Entries of processes whose clocks differ may have
 * times out of order, so those near `at` are added or taken away by their own time, as lines count them.
 */
export async function availableBefore(
  sql: Db,
  accountId: string,
  mode: ModeName,
  at: Date,
): Promise<bigint> {
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
