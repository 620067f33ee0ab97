/** The locks that pg_dump takes at its start and keeps until its end. */
import postgres from "postgres";
import { waitingSessions } from "./waiting-sessions.ts";

/** Those of all tables of the schemas, in the database of `url`, until disposed of. A superuser may take them. */
export async function takeDumpLocks(url: string, schemas: readonly string[]) {
  const sql = postgres(url, { max: 1, connection: { application_name: "pg_dump" } });
  const end = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<{ pid: number; waiting: () => Promise<number> }>();
  const ended = sql.begin(async (tx) => {
    const tables = await tx<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = any (${schemas as string[]})`;
    await tx.unsafe(`lock table ${tables.map((one) => one.name).join()} in access share mode`);
    const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    // How many sessions of the database wait for a lock.
    begun.resolve({ pid: own?.pid ?? 0, waiting: () => waitingSessions(tx) });
    await end.promise;
  });
  return {
    ...(await begun.promise),
    async [Symbol.asyncDispose]() {
      end.resolve();
      await ended;
      await sql.end();
    },
  };
}
