/** Pauses of upstreams and of their accounts, shared by all replicas. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { PauseFault, PauseRule } from "../domain/pause-rules.ts";

export type Pause = { name: string; fault: PauseFault; until: Date };

/**
 * Counts a failure, and pauses from the rule's number of failures in a row on. Returns until when, or undefined if
 * nothing was paused: what is paused already is paused again by its trial, or for a longer time that was asked for.
 */
export async function countFailure(
  sql: Db,
  name: string,
  { fault, firstMs, maxMs, fromFailures }: PauseRule,
  at: Date,
  isTrial: boolean,
): Promise<Date | undefined> {
  const isPausedAtOnce = fromFailures <= 1;
  const [counted] = await sql<{ until: Date; fault: PauseFault | null }[]>`
    insert into generation.pauses as p (name, until, failures, fault)
    values (${name}, ${at}::timestamptz + ${isPausedAtOnce ? firstMs : 0} * interval '1 ms', 1,
      ${isPausedAtOnce ? fault : null})
    on conflict (name) do update set (failures, fault, until) = (
      select n, case when n >= ${fromFailures}::int then ${fault}::text end,
        case when n < ${fromFailures}::int then p.until
          else ${at}::timestamptz + interval '1 ms'
            * least(${firstMs}::float8 * 2 ^ least(n - ${fromFailures}::int, 20), ${maxMs}::float8) end
      from (select case when p.fault <> ${fault} then 1 else p.failures + 1 end as n) one)
    where p.fault is null or p.until <= ${at} or ${isTrial}
      or (${firstMs}::float8 = ${maxMs}::float8 and p.until < excluded.until)
    returning until, fault`;
  return counted?.fault ? counted.until : undefined;
}

/** Ends pauses that are over or that this trial has ended, and counts of failures. Returns the faults that have gone. */
export async function endPauses(
  sql: Db,
  names: readonly string[],
  at: Date,
  isTrial: boolean,
): Promise<PauseFault[]> {
  const ended = await sql<{ fault: PauseFault | null }[]>`
    delete from generation.pauses
    where name = any(${names as string[]}::text[]) and (until <= ${at} or ${isTrial})
    returning fault`;
  return ended.flatMap(({ fault }) => fault ?? []);
}

/** For a statement on tasks: whether the row is no poll of an account that has asked for a wait. */
export function isNoPausedPoll(sql: Db, at: Date): ReturnType<Db> {
  return sql`(step <> 'poll' or not exists (
    select from generation.pauses p where p.name = 'polls ' || credential and p.until > ${at}))`;
}

/** At a start: operators may have mended what they had to. A wait that an upstream asked for stays. */
export async function forgetFaults(sql: Db): Promise<void> {
  await sql`delete from generation.pauses where fault <> 'rate_limited'`;
}

/** What is paused now, or has been and no trial has worked since. */
export function listPauses(sql: Db, at: Date): Promise<Pause[]> {
  return sql<Pause[]>`
    select name, fault, until from generation.pauses
    where fault is not null and (until > ${at} or fault <> 'rate_limited')
    order by name`;
}
