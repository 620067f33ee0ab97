/** Deletes expired sessions, records of ended ones, verifications and sign-in attempts. */
import type { Db } from "#runtime/postgres/connect.ts";

export const BATCH_SIZE = 1_000;

/** Deletes at most a thousand rows of each table; attempts before `forgottenAt` do not count any more. */
export async function deleteExpired(sql: Db, at: Date, forgottenAt: Date): Promise<void> {
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
      (select key from gateway.sign_in_attempts where last_at < ${forgottenAt} limit ${BATCH_SIZE})`;
}
