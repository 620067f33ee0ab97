/** Tasks over all accounts: for operators, for metrics, and to compare holds with. */
import { addMs } from "#runtime/clock.ts";
import { first, type Db } from "#runtime/postgres/connect.ts";
import { literal } from "#runtime/postgres/values.ts";
import type { GenerationStatusName, ModeName } from "#vocabulary/names.ts";
import type { GenerationRow, Held, RowName } from "../domain/generation.ts";
import { joinedColumns } from "./generations.ts";
import { listPauses, queues } from "./slots.ts";

export type TaskFilter = {
  accountId: string | undefined;
  /** Undefined: pending and processing. */
  status: GenerationStatusName | undefined;
  model: string | undefined;
  createdAfter: Date;
  limit: number;
};

/** Newest first. Those that are not finished are read from the tasks, which are few. */
export async function listTasks(sql: Db, filter: TaskFilter): Promise<GenerationRow[]> {
  const { accountId, status, model, createdAfter, limit } = filter;
  const isOpen = status === undefined || status === "pending" || status === "processing";
  return sql<GenerationRow[]>`
    select ${joinedColumns(sql)} from generation.generations g
    ${isOpen ? sql`join` : sql`left join`} generation.tasks t on t.account_id = g.account_id and t.id = g.id
    where g.created_at > ${createdAfter}
      and ${status === undefined ? sql`g.status in ('pending', 'processing')` : sql`g.status = ${literal(sql, status)}`}
      ${accountId === undefined ? sql`` : sql`and g.account_id = ${accountId}`}
      ${model === undefined ? sql`` : sql`and g.model = ${model}`}
    order by g.created_at desc, g.id desc
    limit ${limit}`;
}

/** Without an account the tasks are searched first, which are few. */
export async function findTask(
  sql: Db,
  id: string,
  accountId: string | undefined,
): Promise<GenerationRow | undefined> {
  const [task] =
    accountId === undefined
      ? await sql<RowName[]>`select account_id, id from generation.tasks where id = ${id}`
      : [{ accountId, id }];
  return first(sql<GenerationRow[]>`
    select ${joinedColumns(sql)} from generation.generations g
    left join generation.tasks t on t.account_id = g.account_id and t.id = g.id
    where g.id = ${id} ${task ? sql`and g.account_id = ${task.accountId}` : sql``}`);
}

/** Not in step `notify`, whose generation has ended; `stop` and `delete` have an end to carry out. A lease stays. */
export function makeDueIfUnfinished(
  sql: Db,
  row: RowName,
  at: Date,
): Promise<GenerationRow | undefined> {
  return first(sql<GenerationRow[]>`
    update generation.tasks t set next_step_at = least(t.next_step_at, ${at}::timestamptz)
    from generation.generations g
    where t.account_id = ${row.accountId} and t.id = ${row.id} and t.step <> 'notify'
      and g.account_id = t.account_id and g.id = t.id
    returning ${joinedColumns(sql)}`);
}

/** Tasks of a mode and model. `oldest` is when the one that waits longest was created, or became due. */
export type Waiting = { mode: ModeName; model: string; count: number; oldest: Date };

export type TaskFigures = Awaited<ReturnType<typeof readTaskFigures>>;

/** More tasks of a queue, or due ones, are counted as this many: what reads them must not grow with a backlog. */
const MAX_COUNTED = 5_000;
const UNKNOWN_AFTER_MS = 60_000;

/** Bounded reads of indexes, for scrapes. `due`: in no worker's hands. `unknownSubmits`: a minute without an answer. */
export async function readTaskFigures(sql: Db, at: Date) {
  const [queued, due, slots, [unknown], pauses] = await Promise.all([
    // One index step for each queue, then an index scan of at most MAX_COUNTED entries.
    sql<Waiting[]>`
      with recursive queue as (${queues(sql)})
      select mode, model, counted.count, counted.oldest
      from queue cross join lateral (
        select count(*)::int as count, min(created_at) as oldest from (
          select t.created_at from generation.tasks t
          where t.step = 'queue' and t.mode = queue.mode and t.model = queue.model
          limit ${MAX_COUNTED}) one
      ) counted
      where counted.count > 0`,
    sql<Waiting[]>`
      select mode, model, count(*)::int as count, min(next_step_at) as oldest from (
        select mode, model, next_step_at from generation.tasks
        where next_step_at <= ${at} and (lease_until is null or lease_until <= ${at})
        order by next_step_at limit ${MAX_COUNTED}) due
      group by mode, model`,
    // An index holds only the tasks at upstreams.
    sql<{ credential: string; count: number }[]>`
      select credential, count(*)::int as count from generation.tasks
      where step in ('submit', 'poll') and credential is not null
      group by credential`,
    // An image that is being made has no answer yet either, but a worker that waits for it. The first line is the
    // condition of that index.
    sql<{ count: number }[]>`
      select count(*)::int as count from (
        select from generation.tasks
        where step in ('submit', 'poll') and credential is not null
          and step = 'submit' and submit_token is not null
          and submitted_at <= ${addMs(at, -UNKNOWN_AFTER_MS)} and (lease_until is null or lease_until <= ${at})
        limit ${MAX_COUNTED}) one`,
    listPauses(sql, at),
  ]);
  return { queued, due, slots, unknownSubmits: unknown?.count ?? 0, pauses };
}

export type HoldState = Held & Pick<GenerationRow, "step" | "settling">;

/** The generations that exist, in any order, without what is large of them. */
export function findHoldStates(sql: Db, names: readonly RowName[]): Promise<HoldState[]> {
  return sql<HoldState[]>`
    select g.account_id, g.id, g.mode, g.attempt, coalesce(t.step, 'done') as step, t.settling
    from unnest(${names.map(({ accountId }) => accountId)}::text[], ${names.map(({ id }) => id)}::text[])
      as named (account_id, id)
    join generation.generations g on g.account_id = named.account_id and g.id = named.id
    left join generation.tasks t on t.account_id = g.account_id and t.id = g.id`;
}

/** Generations without a decision, in the order of account and id, after `after`. */
export function listUnsettled(
  sql: Db,
  createdBefore: Date,
  after: RowName | undefined,
  limit: number,
): Promise<Held[]> {
  return sql<Held[]>`
    select t.account_id, t.id, t.mode, g.attempt
    from generation.tasks t
    join generation.generations g on g.account_id = t.account_id and g.id = t.id
    where t.step in ('queue', 'submit', 'poll') and t.created_at < ${createdBefore}
      ${after === undefined ? sql`` : sql`and (t.account_id, t.id) > (${after.accountId}, ${after.id})`}
    order by t.account_id, t.id
    limit ${limit}`;
}
