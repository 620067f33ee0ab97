/** Whether statements wait for each other, for tests that make a race certain. */

/** A connection, with whatever types. */
type Connection = (statement: TemplateStringsArray) => PromiseLike<{ length: number }>;

/** How many sessions of the connection's database wait for a lock, whoever they belong to. */
export async function waitingSessions(sql: Connection): Promise<number> {
  const rows = await sql`
    select distinct pid from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.datname = current_database()`;
  return rows.length;
}
