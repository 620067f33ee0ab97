/** How many tasks wait and for how long; bounded reads of indexes, for scrapes. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import { addMs } from "#runtime/clock.ts";
import { nextQueues } from "./slots.ts";

/** Tasks of a mode and model. `oldest` is when the one that waits longest was created, or became due. */
export type Waiting = { mode: ModeName; model: string; count: number; oldest: Date };

export type TaskFigures = {
  /** Tasks that wait in their queues for a slot. */
  queued: Waiting[];
  /** Due, and in no worker's hands. */
  due: Waiting[];
  slots: { credential: string; count: number }[];
  /** Submits without an answer since a minute and more; each is looked up again and again. */
  unknownSubmits: number;
};

/** More tasks of a queue, or due ones, are counted as this many: what reads them must not grow with a backlog. */
const MAX_COUNTED = 5_000;
const UNKNOWN_AFTER_MS = 60_000;

export async function readTaskFigures(sql: Db, at: Date): Promise<TaskFigures> {
  const [queued, due, slots, unknownSubmits] = await Promise.all([
    listQueued(sql),
    listDue(sql, at),
    countSlots(sql),
    countUnknownSubmits(sql, at),
  ]);
  return { queued, due, slots, unknownSubmits };
}

/** One index step for each queue, then an index scan of at most MAX_COUNTED entries. */
function listQueued(sql: Db): Promise<Waiting[]> {
  return sql<Waiting[]>`
    with recursive queue as (
      (select mode, model, kind from generation.tasks where step = 'queue' order by mode, model limit 1)
      union all ${nextQueues(sql)}
    )
    select mode, model, counted.count, counted.oldest
    from queue cross join lateral (
      select count(*)::int as count, min(created_at) as oldest from (
        select t.created_at from generation.tasks t
        where t.step = 'queue' and t.mode = queue.mode and t.model = queue.model
        limit ${MAX_COUNTED}) one
    ) counted
    where counted.count > 0`;
}

function listDue(sql: Db, at: Date): Promise<Waiting[]> {
  return sql<Waiting[]>`
    select mode, model, count(*)::int as count, min(next_step_at) as oldest from (
      select mode, model, next_step_at from generation.tasks
      where next_step_at <= ${at} and (lease_until is null or lease_until <= ${at})
      order by next_step_at limit ${MAX_COUNTED}) due
    group by mode, model`;
}

/** Reads an index that holds only the tasks at upstreams. */
function countSlots(sql: Db): Promise<TaskFigures["slots"]> {
  return sql<TaskFigures["slots"]>`
    select credential, count(*)::int as count from generation.tasks
    where step in ('submit', 'poll') and credential is not null
    group by credential`;
}

/** An image that is being made has no answer yet either, but a worker that waits for it. */
async function countUnknownSubmits(sql: Db, at: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from generation.tasks
      where step in ('submit', 'poll') and credential is not null
        and step = 'submit' and submit_token is not null
        and submitted_at <= ${addMs(at, -UNKNOWN_AFTER_MS)} and (lease_until is null or lease_until <= ${at})
      limit ${MAX_COUNTED}) one`;
  return row?.count ?? 0;
}
