/** Sums of an account's entries. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import type { TransactionTypeName } from "#vocabulary/transaction-type.ts";

export type StatementLineRow = { type: TransactionTypeName; count: bigint; tokens: bigint };

/** Sums by type of the entries from `from` (inclusive) to `to` (exclusive), all of which are read. */
export function statementLines(
  sql: Db,
  accountId: string,
  mode: ModeName,
  from: Date,
  to: Date,
): Promise<StatementLineRow[]> {
  return sql<StatementLineRow[]>`
    select type, count(*) as count, sum(available_change + reserved_change)::bigint as tokens
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
