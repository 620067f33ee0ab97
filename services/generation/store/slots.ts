/** Queues and slots in generation.tasks, and the pauses of upstreams and their accounts, which all replicas share. */
import { addMs } from "#runtime/clock.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import type { KindName, ModeName } from "#vocabulary/names.ts";
import { begun, type GenerationRow } from "../domain/generation.ts";
import { PICTURE_FIELDS } from "../domain/input-urls.ts";
import type { PauseFault, PauseRule } from "../domain/pause-rules.ts";
import { joinedColumns } from "./generations.ts";

/** The tasks of one mode and model that wait for a slot. */
export type Queue = { mode: ModeName; model: string; kind: KindName };

export function listQueues(sql: Db): Promise<Queue[]> {
  return sql<Queue[]>`with recursive queue as (${queues(sql)}) select mode, model, kind from queue`;
}

/** A recursive table `queue` of all queues. Each costs one index step. */
export function queues(sql: Db): ReturnType<Db> {
  return sql`
    (select mode, model, kind from generation.tasks where step = 'queue' order by mode, model limit 1)
    union all
    select next.mode, next.model, next.kind from queue cross join lateral (
      select t.mode, t.model, t.kind from generation.tasks t
      where t.step = 'queue' and (t.mode, t.model) > (queue.mode, queue.model)
      order by t.mode, t.model limit 1) next`;
}

/** Undefined: no limit. */
export type SlotLimits = {
  /** Tasks of the credential. */
  credentialLimit?: number | undefined;
  /** Tasks of this model with it. */
  modelLimit?: number | undefined;
  /** Between submits of the credential. */
  intervalMs?: number | undefined;
};

/** Free slots of one upstream. */
export type SlotOffer = SlotLimits & {
  /** The name in the upstreams file; stored in the task's row. Never shown to clients. */
  name: string;
  /** The name of the account. Upstream ids are unique and limits are counted within it. */
  credential: string;
  upstreamModel: string;
  /** A task goes to an upstream of the lowest number that has a free slot. */
  priority: number;
  /** Of several with one priority, each gets tasks in proportion to its weight. */
  weight: number;
  /** The pictures of a task, if it has some, are fetched before its intent to submit. */
  takesBytes: boolean;
  /** How many slots of the credential this worker may take. */
  capacity: number;
};

export type Assignment = {
  queue: Queue;
  /** In the order of their priorities. */
  offers: readonly SlotOffer[];
  /** How many tasks of one kind an account may have at upstreams. */
  accountLimit: number;
  /** How many tasks are assigned at most. */
  limit: number;
  /** Accounts after this one are looked at. */
  after: string;
  at: Date;
  leaseMs: number;
};

/**
 * Leases waiting tasks of the queue to this worker, with slots, and with the intent to submit where no pictures have to
 * be fetched before. Nothing while another worker assigns slots of the mode. `lastAccount`: the last looked at.
 */
export async function assignSlots(sql: Db, to: Assignment) {
  const { rows, lastAccount } = await assigned(sql, to, undefined);
  const taken = (row: GenerationRow): GenerationRow =>
    row.submitToken === null ? row : { ...begun(row), isUnsent: true };
  return { rows: rows.map(taken), lastAccount };
}

/** Moves a task of this worker to a slot, without an intent; undefined if there is none, or the row is lost. */
export async function moveSlot(
  sql: Db,
  row: GenerationRow,
  to: Pick<Assignment, "offers" | "at" | "leaseMs">,
): Promise<GenerationRow | undefined> {
  const one = { queue: row, accountLimit: 0, limit: 1, after: "" };
  const { rows } = await assigned(sql, { ...to, ...one }, row);
  return rows[0];
}

async function assigned(
  sql: Db,
  { queue, offers, accountLimit, limit, after, at, leaseMs }: Assignment,
  moved: GenerationRow | undefined,
) {
  const found = await sql<(GenerationRow & { lastAccount?: string | null })[]>`
    select ${joinedColumns(sql)}, a.last_account, a.trial_until
    from generation.assign_slots(${queue.mode}, ${queue.model}, ${queue.kind}, ${jsonRecords(sql, offers)},
      ${accountLimit}, ${limit}, ${at}, ${addMs(at, leaseMs)}, ${after}, ${moved?.accountId ?? null},
      ${moved?.id ?? null}, ${moved?.fence.toString() ?? null}, ${PICTURE_FIELDS}::text[]) a
    cross join lateral (select (a.task).*) t
    cross join lateral (select (a.generation).*) g`;
  const lastAccount = found[0]?.lastAccount ?? undefined;
  for (const row of found) delete row.lastAccount;
  return { rows: found.filter(({ id }) => id !== null), lastAccount };
}

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
  trialUntil: Date | null,
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
    where p.fault is null or p.until <= ${at} or p.until = ${trialUntil}
      or (${firstMs}::float8 = ${maxMs}::float8 and p.until < excluded.until)
    returning until, fault`;
  return counted?.fault ? counted.until : undefined;
}

/** Ends pauses that are over or last until this trial's end, and counts of failures. Returns the faults that end. */
export async function endPauses(
  sql: Db,
  names: readonly string[],
  at: Date,
  trialUntil: Date | null,
): Promise<PauseFault[]> {
  const ended = await sql<{ fault: PauseFault | null }[]>`
    delete from generation.pauses
    where name = any(${names as string[]}::text[]) and (until <= ${at} or until = ${trialUntil})
    returning fault`;
  return ended.flatMap(({ fault }) => fault ?? []);
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
