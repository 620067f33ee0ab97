/** Takes away what has come to its end: sessions, verifications, invitations and windows of attempts. */
import type { Db } from "#runtime/postgres/connect.ts";

const AT_A_TIME = 1_000;

/** Deletes up to a thousand rows of each table. */
export async function deleteEnded(sql: Db, at: Date, windowStart: Date): Promise<void> {
  await sql`
    delete from gateway.sessions where id in
      (select id from gateway.sessions where expires_at < ${at} limit ${AT_A_TIME})`;
  await sql`
    delete from gateway.verifications where id in
      (select id from gateway.verifications where expires_at < ${at} limit ${AT_A_TIME})`;
  await sql`
    delete from gateway.invitations where (account_id, id) in
      (select account_id, id from gateway.invitations where expires_at < ${at} limit ${AT_A_TIME})`;
  await sql`
    delete from gateway.sign_in_attempts where key in
      (select key from gateway.sign_in_attempts where window_started_at < ${windowStart} limit ${AT_A_TIME})`;
}
