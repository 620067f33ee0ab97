/** The gateway's own queries on sessions, and on attempts to sign in, which all replicas count. */
import type { components } from "#gen/openapi/dashboard.ts";
import { DAY_MS, addMs } from "#runtime/clock.ts";
import type { Db } from "#runtime/postgres/connect.ts";

export type SessionRow = { id: string; userAgent: string | null; createdAt: Date; expiresAt: Date };

export type SessionEndCause = NonNullable<components["schemas"]["Session"]["ended_because"]>;

export function listSessions(sql: Db, userId: string, at: Date, limit: number) {
  return sql<SessionRow[]>`
    select id, user_agent, created_at, expires_at from gateway.sessions
    where user_id = ${userId} and expires_at > ${at}
    order by created_at desc, id
    limit ${limit}`;
}

/** Ends the user's sessions, or the one of `of.id`, except `of.keptId`, and records why; returns how many. */
export async function endSessions(
  sql: Db,
  userId: string,
  cause: SessionEndCause,
  of: { id?: string; keptId?: string | undefined } = {},
): Promise<number> {
  const rows = await sql`
    with ended as (
      delete from gateway.sessions
      where user_id = ${userId} and id is distinct from ${of.keptId ?? null}
        ${of.id === undefined ? sql`` : sql`and id = ${of.id}`}
      returning token, expires_at
    ), recorded as (
      insert into gateway.ended_sessions (token_sha256, cause, expires_at)
      select sha256(convert_to(token, 'UTF8')), ${cause}, expires_at from ended
      on conflict (token_sha256) do nothing
    )
    select from ended`;
  return rows.length;
}

/** Records why a session ends that the sign-in library deletes. */
export async function recordPasswordChange(sql: Db, token: string, expiresAt: Date): Promise<void> {
  await sql`
    insert into gateway.ended_sessions (token_sha256, cause, expires_at)
    values (sha256(convert_to(${token}, 'UTF8')), 'password_changed', ${expiresAt})
    on conflict (token_sha256) do nothing`;
}

/** Why the session with this secret token was ended; undefined when nothing is recorded. */
export async function findSessionEnd(sql: Db, token: string): Promise<SessionEndCause | undefined> {
  const [row] = await sql<{ cause: SessionEndCause }[]>`
    select cause from gateway.ended_sessions where token_sha256 = sha256(convert_to(${token}, 'UTF8'))`;
  return row?.cause;
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

/** After so long without an attempt, earlier ones are forgotten. */
export const ATTEMPTS_KEPT_MS = DAY_MS;

export type AttemptLimit = {
  key: string;
  /** Attempts without a delay. */
  free: number;
  /** The delay after the next one; it doubles with each. */
  firstDelayMs: number;
  maxDelayMs: number;
};

/** 2 ** 30 first delays are longer than any maximum. */
const MAX_DOUBLINGS = 30;

/**
 * Counts one attempt at `at`. Returns undefined, or, when the key still has to wait, until when; then nothing is
 * counted. Attempts before `forgottenAt` do not count any more. Without a delay the next attempt may be from then on, not
 * from `at`: one at the same time may have read the clock a little earlier.
 */
export async function takeAttempt(sql: Db, limit: AttemptLimit, at: Date, forgottenAt: Date) {
  const { key, free, firstDelayMs, maxDelayMs } = limit;
  const taken = await sql`
    insert into gateway.sign_in_attempts as a (key, attempts, last_at, next_at)
    values (${key}, 1, ${at}, ${free > 0 ? forgottenAt : addMs(at, firstDelayMs)})
    on conflict (key) do update set
      attempts = case when a.last_at <= ${forgottenAt} then 1 else a.attempts + 1 end,
      last_at = ${at},
      next_at = case
        when a.last_at <= ${forgottenAt} or a.attempts < ${free} then ${forgottenAt}::timestamptz
        else ${at}::timestamptz + least(
          ${maxDelayMs}::float8,
          ${firstDelayMs}::float8 * 2 ^ least(a.attempts - ${free}, ${MAX_DOUBLINGS})
        ) * interval '1 millisecond' end
    where a.next_at <= ${at}
    returning attempts`;
  if (taken.length === 1) return undefined;
  const [row] = await sql<{ nextAt: Date }[]>`
    select next_at from gateway.sign_in_attempts where key = ${key}`;
  return row?.nextAt ?? at;
}

export async function deleteAttempts(sql: Db, key: string): Promise<void> {
  await sql`delete from gateway.sign_in_attempts where key = ${key}`;
}
