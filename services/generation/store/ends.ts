/** The ends of generations: shown as decided, canceled by the owner, or deleted by the account. */
import { first, type Db } from "#runtime/postgres/connect.ts";
import type { Failure } from "../domain/failures.ts";
import type { GenerationRow, RowName } from "../domain/generation.ts";
import { serverStart } from "./row-server.ts";
import { joinedColumns } from "./generations.ts";
import { fencedRecords, type Change, type Fenced, whichWritten } from "./steps.ts";

export type End = {
  step: "notify" | "stop" | "done";
  nextStepAt: Date;
  completedAt: Date;
  /** What is charged, or was restored. */
  tokens: bigint;
  /** Nothing is written on another Postgres server, or after a restart: the capture or release may be lost. */
  server: bigint;
};

/**
 * Shows the decided end of generations of one step. A task of which nothing is left is deleted; one that goes on with
 * step `notify` stays with its worker. False for each row that another worker has taken, or on another server.
 */
export async function endTasksIfLeased(
  sql: Db,
  changes: readonly Change<End>[],
): Promise<boolean[]> {
  const isOver = changes[0]?.change.step === "done";
  const ended = isOver
    ? sql`delete from generation.tasks t using c where`
    : sql`
      update generation.tasks t set step = c.step, next_step_at = c.next_step_at, failures = 0,
        lease_until = case c.step when 'notify' then t.lease_until end
      from c where`;
  const written = await sql<Fenced[]>`
    with c as (
      select * from jsonb_to_recordset(${fencedRecords(sql, changes)}) as c (account_id text, id text, fence bigint,
        step text, next_step_at timestamptz, completed_at timestamptz, tokens bigint, server bigint)
      where server = ${serverStart(sql)}
    ), ended as (
      ${ended} t.account_id = c.account_id and t.id = c.id and t.fence = c.fence and t.step = 'settle'
      returning t.*, c.completed_at, c.tokens as charged
    )
    update generation.generations g
    set status = ended.settling, completed_at = ended.completed_at, tokens = ended.charged, output = coalesce(ended.output, '[]'),
      error_code = ended.error_code, error_message = ended.error_message,
      progress = case ended.settling when 'success' then 100 else ended.progress end,
      upstream = ended.upstream, submit_token = ended.submit_token, submitted_at = ended.submitted_at,
      upstream_id = ended.upstream_id
    from ended
    where g.account_id = ended.account_id and g.id = ended.id
    returning g.account_id, g.id, ended.fence`;
  return whichWritten(changes, written);
}

/** Nothing is left to do. */
export async function deleteTaskIfLeased(sql: Db, row: GenerationRow): Promise<void> {
  await sql`
    delete from generation.tasks
    where account_id = ${row.accountId} and id = ${row.id} and step = ${row.step} and fence = ${row.fence.toString()}`;
}

/**
 * Decides a cancel unless an upstream has the task or may have it; a video's submit may be under way, because its job can
 * be stopped later. Undefined if not, or if an end was decided before.
 */
export function cancelTaskIfPending(sql: Db, row: GenerationRow, at: Date) {
  const isPending: ReturnType<Db> = sql`t.step in ('queue', 'submit') and (t.kind = 'video' or t.submit_token is null)`;
  return endTask(sql, row, at, isPending);
}

/** Decides the failure, or else the cancel of a job that has certainly stopped. Undefined if an end was decided. */
export function endTaskIfOpen(sql: Db, row: GenerationRow, at: Date, failure?: Failure) {
  return endTask(sql, row, at, sql`t.step in ('queue', 'submit', 'poll')`, failure);
}

/** Turns a success that cannot be charged into a failure, for which no hold is needed; it is due for any worker. */
export function failSuccessIfLeased(sql: Db, row: GenerationRow, at: Date, failure: Failure) {
  const isLeased: ReturnType<Db> = sql`t.step = 'settle' and t.fence = ${row.fence.toString()}`;
  return endTask(sql, row, at, isLeased, failure);
}

/** Takes the row from the worker that has it, by raising the fence. */
async function endTask(
  sql: Db,
  row: GenerationRow,
  at: Date,
  guard: ReturnType<Db>,
  failure?: Failure,
): Promise<GenerationRow | undefined> {
  const [decided] = await sql<GenerationRow[]>`
    update generation.tasks t
    set settling = ${failure ? "failed" : "canceled"}, error_code = ${failure?.code ?? null},
      error_message = ${failure?.message ?? null}, output = null, step = 'settle', failures = 0, fence = t.fence + 1,
      lease_until = null, next_step_at = ${at}
    from generation.generations g
    where t.account_id = ${row.accountId} and t.id = ${row.id} and ${guard}
      and g.account_id = t.account_id and g.id = t.id
    returning ${joinedColumns(sql)}`;
  return decided;
}

/** Records the cancel request: a poll that finds the job stopped then decides canceled, not failed. */
export async function requestCancelIfProcessing(
  sql: Db,
  row: GenerationRow,
  at: Date,
): Promise<boolean> {
  const result = await sql`
    update generation.tasks set cancel_requested_at = ${at}
    where account_id = ${row.accountId} and id = ${row.id} and step = 'poll'`;
  return result.count === 1;
}

/**
 * Records the deletion and makes step `delete` due, of the task that is there or of a new one; raises the fence, which
 * takes the row from its worker. The fence of a new task is higher than any of the earlier one, which counted its
 * claims. False if the generation has not ended, or was deleted before.
 */
export async function deleteGenerationIfEnded(
  sql: Db,
  { accountId, id }: RowName,
  at: Date,
): Promise<boolean> {
  return (await deleteEnded(sql, accountId, sql`id = ${id}`, at)) === 1;
}

/** Deletes up to `limit` ended generations of an account. Whether nothing is left, unfinished work included. */
export async function deleteSomeOfAccount(
  sql: Db,
  accountId: string,
  at: Date,
  limit: number,
): Promise<boolean> {
  const isKept = sql`account_id = ${accountId} and deleted_at is null`;
  const some: ReturnType<Db> = sql`id in (
    select id from generation.generations where ${isKept} and completed_at is not null limit ${limit})`;
  await deleteEnded(sql, accountId, some, at);
  const [row] = await sql<{ isDone: boolean }[]>`
    select not exists (select from generation.tasks where account_id = ${accountId})
      and not exists (select from generation.generations where ${isKept}) as is_done`;
  return row?.isDone ?? false;
}

async function deleteEnded(
  sql: Db,
  accountId: string,
  which: ReturnType<Db>,
  at: Date,
): Promise<number> {
  const result = await sql`
    with deleted as (
      update generation.generations set deleted_at = ${at}
      where account_id = ${accountId} and ${which} and deleted_at is null and completed_at is not null
      returning account_id, id, kind, mode, model, tokens, attempt, status, progress, created_at
    )
    insert into generation.tasks as t (account_id, id, kind, mode, model, tokens, attempt, step, settling, progress,
      next_step_at, deadline_at, created_at, fence)
    select account_id, id, kind, mode, model, tokens, attempt, 'delete', status, progress, ${at}::timestamptz,
      ${at}::timestamptz, created_at, ${at.getTime()}::bigint
    from deleted
    on conflict (account_id, id) do update
    set step = 'delete', next_step_at = excluded.next_step_at, lease_until = null, failures = 0, fence = t.fence + 1`;
  return result.count;
}

/**
 * Takes the client's content out of a deleted generation and ends its step, unless the worker has lost the row. The names
 * of its upstream jobs go with the last step: until then a job may have to be found.
 */
export async function eraseGenerationIfLeased(
  sql: Db,
  row: GenerationRow,
  next: "stop" | "done",
  at: Date,
): Promise<void> {
  const isOver = next === "done";
  const go = isOver
    ? sql`delete from generation.tasks`
    : sql`
        update generation.tasks
        set step = 'stop', next_step_at = ${at}, lease_until = null, failures = 0, output = null, error_message = null`;
  const names = isOver ? sql`, upstream_id = null, submit_token = null, erased_at = ${at}` : sql``;
  await sql`
    with held as (
      ${go}
      where account_id = ${row.accountId} and id = ${row.id} and step = ${row.step} and fence = ${row.fence.toString()}
      returning account_id, id
    ), erased as (
      update generation.generations g
      set input = '{}', defaulted = '{}', output = '[]', error_message = null ${names}
      from held where g.account_id = held.account_id and g.id = held.id
      returning g.account_id, g.id
    ) ${isOver ? deleteOldSubmits(sql) : sql`select from erased`}`;
}

/** The job of the row's submit, where a replica of 1.0.0 has recorded it apart from the task. */
export function findOldSubmit(sql: Db, { accountId, id, submitToken }: GenerationRow) {
  return first(sql<{ upstreamId: string }[]>`
    select upstream_id from generation.submits
    where account_id = ${accountId} and generation_id = ${id} and submit_token = ${submitToken}
      and upstream_id is not null`);
}

/** For a statement that begins with the generations `erased`: deletes what replicas of 1.0.0 recorded of their jobs. */
export function deleteOldSubmits(sql: Db): ReturnType<Db> {
  return sql`
    delete from generation.submits s using erased
    where s.account_id = erased.account_id and s.generation_id = erased.id`;
}
