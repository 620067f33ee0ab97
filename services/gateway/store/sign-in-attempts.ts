/** Counts attempts per key, shared by all replicas, and says how long the next one has to wait. */
import { addMs } from "#runtime/clock.ts";
import type { Db } from "#runtime/postgres/connect.ts";

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
 * counted. Attempts before `forgottenAt` do not count any more.
 */
export async function takeAttempt(
  sql: Db,
  { key, free, firstDelayMs, maxDelayMs }: AttemptLimit,
  at: Date,
  forgottenAt: Date,
): Promise<Date | undefined> {
  const taken = await sql`
    insert into gateway.sign_in_attempts as a (key, attempts, last_at, next_at)
    values (${key}, 1, ${at}, ${free > 0 ? at : addMs(at, firstDelayMs)})
    on conflict (key) do update set
      attempts = case when a.last_at <= ${forgottenAt} then 1 else a.attempts + 1 end,
      last_at = ${at},
      next_at = ${at}::timestamptz + case
        when a.last_at <= ${forgottenAt} or a.attempts < ${free} then interval '0'
        else least(
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
