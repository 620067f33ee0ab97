/** Measures how many rows of a table a query reads, by the statistics of Postgres. */
import type { Sql, Transaction } from "#runtime/postgres/connect.ts";

/** `table` includes the schema, e.g. "billing.entries", or is an oid. Rows that a filter discards count too. */
export function rowsRead(
  sql: Sql,
  table: string,
  query: (tx: Transaction) => Promise<unknown>,
): Promise<number> {
  return sql.begin(async (tx) => {
    const before = await count(tx, table);
    await query(tx);
    return Number((await count(tx, table)) - before);
  }) as Promise<number>;
}

async function count(tx: Transaction, table: string): Promise<bigint> {
  const [row] = await tx<{ rows: bigint }[]>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_all_tables
    where relid = ${table}::regclass`;
  return row?.rows ?? 0n;
}
