/** Counts sign-in and sign-up attempts per key in time windows that all replicas share. */
import type { Db } from "#runtime/postgres/connect.ts";

export type AttemptRow = { attempts: number; windowStartedAt: Date };

/** Counts one attempt at `at` and returns the count. A window that began at or before `windowStart` is restarted. */
export async function countAttempt(
  sql: Db,
  key: string,
  at: Date,
  windowStart: Date,
): Promise<AttemptRow> {
  const [row] = await sql<AttemptRow[]>`
    insert into gateway.sign_in_attempts as a (key, attempts, window_started_at)
    values (${key}, 1, ${at})
    on conflict (key) do update set
      attempts = case when a.window_started_at <= ${windowStart} then 1 else a.attempts + 1 end,
      window_started_at =
        case when a.window_started_at <= ${windowStart} then ${at} else a.window_started_at end
    returning attempts, window_started_at`;
  if (!row) throw new Error("upsert into gateway.sign_in_attempts returned no row");
  return row;
}

export async function deleteAttempts(sql: Db, key: string): Promise<void> {
  await sql`delete from gateway.sign_in_attempts where key = ${key}`;
}
