/** The gateway's own queries on sessions; all others are the sign-in library's. */
import type { Db } from "#runtime/postgres/connect.ts";

export type SessionRow = {
  id: string;
  userAgent: string | null;
  createdAt: Date;
  expiresAt: Date;
};

export type SessionEndCause =
  | "password_changed"
  | "ended_elsewhere"
  | "ended_by_operator"
  | "user_disabled";

export function listSessions(
  sql: Db,
  userId: string,
  at: Date,
  limit: number,
): Promise<SessionRow[]> {
  return sql<SessionRow[]>`
    select id, user_agent, created_at, expires_at from gateway.sessions
    where user_id = ${userId} and expires_at > ${at}
    order by created_at desc, id
    limit ${limit}`;
}

/** Ends one of the user's sessions, and records it; false when the user has no such session. */
export async function endSession(sql: Db, userId: string, id: string): Promise<boolean> {
  const rows = await sql`
    with ended as (
      delete from gateway.sessions where user_id = ${userId} and id = ${id} returning token, expires_at
    )
    insert into gateway.ended_sessions (token_sha256, cause, expires_at)
    select sha256(convert_to(token, 'UTF8')), 'ended_elsewhere', expires_at from ended
    returning cause`;
  return rows.length === 1;
}

/** Ends the user's sessions except `keptId`, and records why; returns how many. */
export async function endSessions(
  sql: Db,
  userId: string,
  cause: SessionEndCause,
  keptId?: string,
): Promise<number> {
  const rows = await sql`
    with ended as (
      delete from gateway.sessions
      where user_id = ${userId} and id is distinct from ${keptId ?? null}
      returning token, expires_at
    )
    insert into gateway.ended_sessions (token_sha256, cause, expires_at)
    select sha256(convert_to(token, 'UTF8')), ${cause}, expires_at from ended
    returning cause`;
  return rows.length;
}

/** Records why a session ends that the sign-in library deletes. */
export async function recordSessionEnd(
  sql: Db,
  { token, expiresAt }: { token: string; expiresAt: Date },
  cause: SessionEndCause,
): Promise<void> {
  await sql`
    insert into gateway.ended_sessions (token_sha256, cause, expires_at)
    values (sha256(convert_to(${token}, 'UTF8')), ${cause}, ${expiresAt})
    on conflict (token_sha256) do nothing`;
}

/** Why the session with this secret token was ended; undefined when nothing is recorded. */
export async function findSessionEnd(sql: Db, token: string): Promise<SessionEndCause | undefined> {
  const [row] = await sql<{ cause: SessionEndCause }[]>`
    select cause from gateway.ended_sessions where token_sha256 = sha256(convert_to(${token}, 'UTF8'))`;
  return row?.cause;
}

/** Whether the session with this id, not its token, began after `at`. */
export async function beganAfter(sql: Db, id: string, at: Date): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.sessions where id = ${id} and created_at > ${at}`;
  return rows.length === 1;
}

export async function deleteSessionOf(sql: Db, token: string): Promise<void> {
  await sql`delete from gateway.sessions where token = ${token}`;
}

export const BATCH_SIZE = 1_000;

/**
 * Deletes expired sessions, records of ended ones, verifications and sign-in attempts, at most a thousand of each.
 * Attempts before `forgottenAt` do not count any more.
 */
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
