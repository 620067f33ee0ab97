/** Deletes expired sessions, records of ended ones, verifications, sign-in attempts and old records of alerts' mails. */
import type { Db } from "#runtime/postgres/connect.ts";

export const BATCH_SIZE = 1_000;

/** Before these times nothing of what was recorded counts any more. */
export type Forgotten = { signInAttempts: Date; alertMails: Date };

/** Deletes at most a thousand rows of each table. */
export async function deleteExpired(sql: Db, at: Date, forgotten: Forgotten): Promise<void> {
  await sql`
    delete from gateway.sessions where id in
      (select id from gateway.sessions where expires_at < ${at} limit ${BATCH_SIZE})`;
  await sql`
    delete from gateway.ended_sessions where token_sha256 in
      (select token_sha256 from gateway.ended_sessions where expires_at < ${at} limit ${BATCH_SIZE})`;
  await sql`
    delete from gateway.verifications where id in
      (select id from gateway.verifications where expires_at < ${at} limit ${BATCH_SIZE})`;
  await sql`
    delete from gateway.sign_in_attempts where key in
      (select key from gateway.sign_in_attempts where last_at < ${forgotten.signInAttempts}
        limit ${BATCH_SIZE})`;
  await sql`
    delete from gateway.alert_mails where (account_id, event_id, user_id) in
      (select account_id, event_id, user_id from gateway.alert_mails where answered_at < ${forgotten.alertMails}
        limit ${BATCH_SIZE})`;
}
