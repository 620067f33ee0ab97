/** Whether statements wait for each other, for tests that make a race certain. */
import type postgres from "postgres";
import { expect } from "vitest";
import type { Sql, Transaction } from "#runtime/postgres/connect.ts";

/** A connection, with whatever types. */
type Connection = (statement: TemplateStringsArray) => PromiseLike<{ length: number }>;

/** How many sessions of the connection's database wait for a lock, whoever they belong to. */
export async function waitingSessions(sql: Connection): Promise<number> {
  // A transaction sees the sessions as they were when it first asked, unless it forgets them.
  await sql`select pg_stat_clear_snapshot()`;
  const rows = await sql`
    select distinct pid from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.datname = current_database()`;
  return rows.length;
}

/** Calls that insert into the table, none of which can do so before all wait, and `meanwhile` has resolved. */
export async function insertTogether<T>(
  owner: postgres.Sql,
  table: string,
  calls: readonly (() => Promise<T>)[],
  meanwhile?: () => Promise<unknown>,
): Promise<T[]> {
  let answers: Promise<T[]> | undefined;
  await owner.begin(async (sql) => {
    await sql`lock table ${sql(table)} in share row exclusive mode`;
    answers = Promise.all(calls.map((call) => call()));
    await expect.poll(() => waitingSessions(sql), { timeout: 10_000 }).toBe(calls.length);
    await meanwhile?.();
  });
  return answers ?? [];
}

/** Makes the call when `hold` has locked something that it needs, commits once it waits, and resolves with its answer. */
export async function racing<T>(
  sql: Sql,
  hold: (tx: Transaction) => Promise<unknown>,
  call: () => Promise<T>,
): Promise<T> {
  const held = await sql.begin(async (tx) => {
    await hold(tx);
    const answer = call();
    await expect.poll(() => waitingSessions(sql)).toBe(1);
    // In an object: the transaction would wait for a promise that it returns.
    return { answer };
  });
  return held.answer;
}
