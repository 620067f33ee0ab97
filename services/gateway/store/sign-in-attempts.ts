/** Counts attempts per key, shared by all replicas, and says how long the next one has to wait. */
import { addMs } from "#runtime/clock.ts";
import type { Db } from "#runtime/postgres/connect.ts";

/** After so long without an attempt, earlier ones are forgotten. */
export const ATTEMPTS_KEPT_MS = 24 * 60 * 60_000;

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
export async function takeAttempt(
  sql: Db,
  { key, free, firstDelayMs, maxDelayMs }: AttemptLimit,
  at: Date,
  forgottenAt: Date,
): Promise<Date | undefined> {
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
