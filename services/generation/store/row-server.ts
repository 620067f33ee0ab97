/**
 * The Postgres server that generation writes to, known by when it last lost its memory. On one server a hold, capture or
 * release is in the log before the row that follows it, so that only the row waits for the disk
 * (docs/decisions/0009-hold-before-row.md).
 */
import type { Db, Sql } from "#runtime/postgres/connect.ts";

/** In microseconds since 1970; as in billing's move_holds. Statistics begin anew where a process of it is killed. */
export const serverStart = (sql: Db): ReturnType<Db> => sql`
  (extract(epoch from greatest(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())) * 1000000)::bigint`;

export type RowServer = ReturnType<typeof rowServer>;

export function rowServer(sql: Sql) {
  let known: bigint | undefined;
  return {
    started: async (): Promise<bigint> => {
      if (known !== undefined) return known;
      const [row] = await sql<[{ us: bigint }]>`select ${serverStart(sql)} as us`;
      return (known = row.us);
    },
    /** Another server may have taken over. */
    forget: (): void => {
      known = undefined;
    },
  };
}
