/** Fills tables with a history: many rows at once, with the indexes created afterwards. */
import type { Sql } from "#runtime/postgres/connect.ts";

const BATCH = 500_000;

/** Inclusive. */
export type Range = { from: number; to: number };

/**
 * Calls `insert` for numbers from 0 to `count` - 1 in ranges, while the tables have no indexes: to create these afterwards
 * takes a tenth of the time.
 */
export async function fillTables(
  owner: Sql,
  tables: readonly string[],
  count: number,
  insert: (range: Range) => Promise<unknown>,
): Promise<void> {
  const recreateIndexes = await dropIndexes(owner, tables);
  for (let from = 0; from < count; from += BATCH) {
    await insert({ from, to: Math.min(from + BATCH, count) - 1 });
  }
  await recreateIndexes();
  for (const table of tables) await owner.unsafe(`vacuum (freeze, analyze) ${table}`);
}

/** Drops constraints and indexes of the tables; returns a function that creates them again. */
async function dropIndexes(owner: Sql, tables: readonly string[]): Promise<() => Promise<void>> {
  const constraints = await owner<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where conrelid::regclass::text = any(${tables as string[]}) and contype in ('p', 'u')`;
  for (const { table, name } of constraints) {
    await owner.unsafe(`alter table ${table} drop constraint ${name}`);
  }
  const indexes = await owner<{ name: string; definition: string }[]>`
    select schemaname || '.' || quote_ident(indexname) as name, indexdef as definition
    from pg_indexes where schemaname || '.' || tablename = any(${tables as string[]})`;
  for (const { name } of indexes) await owner.unsafe(`drop index ${name}`);
  return async () => {
    for (const { table, name, definition } of constraints) {
      await owner.unsafe(`alter table ${table} add constraint ${name} ${definition}`);
    }
    for (const { definition } of indexes) await owner.unsafe(definition);
  };
}
