/** Deletes expired sessions, verifications and sign-in attempt windows. */
import type { Db } from "#runtime/postgres/connect.ts";

export const BATCH_SIZE = 1_000;

/** Deletes at most a thousand rows of each table; `windowStart` is when a window that has just ended began. */
export async function deleteExpired(sql: Db, at: Date, windowStart: Date): Promise<void> {
  await sql`
    delete from gateway.sessions where id in
      (select id from gateway.sessions where expires_at < ${at} limit ${BATCH_SIZE})`;
  await sql`
    delete from gateway.verifications where id in
      (select id from gateway.verifications where expires_at < ${at} limit ${BATCH_SIZE})`;
  await sql`
    delete from gateway.sign_in_attempts where key in
      (select key from gateway.sign_in_attempts where window_started_at < ${windowStart} limit ${BATCH_SIZE})`;
}
