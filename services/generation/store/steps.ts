/** Claims of due tasks, and the updates that workers make under their fence. */
import postgres from "postgres";
import type { TerminalStatus } from "#vocabulary/names.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import { addMs } from "#runtime/clock.ts";
import { rowKey, type GenerationRow, type RowName } from "../domain/generation.ts";
import { joinedColumns } from "./generations.ts";

/** Leases due rows to one worker, without upstream work of `full` credentials. Others may claim meanwhile. */
export async function claimDueTasks(
  sql: Sql,
  at: Date,
  leaseMs: number,
  limit: number,
  full: readonly string[] = [],
): Promise<GenerationRow[]> {
  return sql<GenerationRow[]>`
    with due as (
      select account_id, id from generation.tasks
      where next_step_at <= ${at} and (lease_until is null or lease_until <= ${at})
        and (credential is null or step not in ('submit', 'poll')
          or credential <> all(${full as string[]}::text[]))
      order by next_step_at
      limit ${limit}
      for update skip locked
    )
    update generation.tasks t
    set fence = t.fence + 1, lease_until = ${addMs(at, leaseMs)}
    from due join generation.generations g on g.account_id = due.account_id and g.id = due.id
    where t.account_id = due.account_id and t.id = due.id
    returning ${joinedColumns(sql)}`;
}

/** The columns that a step may change. Absent ones keep their value. */
export type StepChange = Partial<
  NeverUnset &
    Pick<
      GenerationRow,
      | "progress"
      | "leaseUntil"
      | "failures"
      | "lastError"
      | "upstream"
      | "credential"
      | "upstreamModel"
      | "submitToken"
      | "goneSince"
    >
>;

type NeverUnset = {
  step: Exclude<GenerationRow["step"], "done">;
  nextStepAt: Date;
  submittedAt: Date;
};

export type Decision = Pick<GenerationRow, "output" | "errorCode" | "errorMessage"> & {
  settling: TerminalStatus;
};

export type Change<C> = { row: GenerationRow; change: C };

/** Changes with the same shape are written by one statement. */
export function shapeOf(change: StepChange | Decision): string {
  return Object.keys(change).sort().join(" ");
}

/** Writes changes of one shape, and shows images whose submit begins; false for rows whose task is gone or taken. */
export function updateTasksIfLeased(
  sql: Db,
  changes: readonly Change<StepChange>[],
): Promise<boolean[]> {
  return write(sql, changes, sql``, sql``);
}

/** Decides how generations end; false for each row that another worker has taken or whose end was decided before. */
export function decideTasksIfOpen(
  sql: Db,
  changes: readonly Change<Decision>[],
): Promise<boolean[]> {
  return write(sql, changes, sql`, step = 'settle', failures = 0`, sql`and t.settling is null`);
}

async function write(
  sql: Db,
  changes: readonly Change<StepChange | Decision>[],
  extraSets: ReturnType<Db>,
  guard: ReturnType<Db>,
): Promise<boolean[]> {
  const columns = Object.keys(changes[0]?.change ?? {});
  const sets = columns.map(postgres.fromCamel).map((name) => `${name} = c.${name}`);
  const update = sql<Fenced[]>`
    update generation.tasks t set ${sql.unsafe(sets.join(", "))} ${extraSets}
    from jsonb_populate_recordset(null::generation.tasks, ${fencedRecords(sql, changes)}) c
    where t.account_id = c.account_id and t.id = c.id and t.fence = c.fence ${guard}
    returning t.account_id, t.id, t.fence, t.submitted_at`;
  // The call that makes an image cannot be taken back, so that the image can be canceled no more.
  const begin = () => sql<Fenced[]>`
    with written as (${update}), begun as (
      update generation.generations g set status = 'processing', started_at = w.submitted_at
      from written w
      where g.account_id = w.account_id and g.id = w.id and g.kind = 'image' and g.status = 'pending'
    )
    select account_id, id, fence from written`;
  return whichWritten(changes, await (columns.includes("submittedAt") ? begin() : update));
}

/** A task that was written, and the fence that its writer has. */
export type Fenced = Pick<GenerationRow, "accountId" | "id" | "fence">;

/** The changes with the names, submits and fences of their rows. */
export function fencedRecords(sql: Db, changes: readonly Change<object>[]) {
  const records = changes.map(({ row: { accountId, id, submitToken, fence }, change }) => ({
    submitToken,
    ...change,
    accountId,
    id,
    fence,
  }));
  return jsonRecords(sql, records);
}

export function whichWritten(
  changes: readonly Change<object>[],
  written: readonly Fenced[],
): boolean[] {
  const keyOf = ({ accountId, id, fence }: Fenced) => `${accountId} ${id} ${fence}`;
  const done = new Set(written.map(keyOf));
  return changes.map(({ row }) => done.has(keyOf(row)));
}

/** A job that an upstream has accepted for the submit of a row. */
export type Acceptance = {
  upstreamId: string;
  startedAt: Date;
  deadlineAt: Date;
};

const FIRST_POLL_MS = 500;

/**
 * Records jobs by the tokens of their submits, whoever has the tasks now: begins polling, and shows the generations as
 * processing. A task that has ended only learns its job, and is due for any worker: step `stop` cancels it. False for
 * each whose submit has a job already, or is none of a task any more; throws where the job is another task's.
 */
export async function acceptSubmits(
  sql: Db,
  changes: readonly Change<Acceptance>[],
): Promise<boolean[]> {
  const accepted = await sql<RowName[]>`
    with accepted as (
      update generation.tasks t set upstream_id = c.upstream_id,
        next_step_at = case t.step when 'submit' then c.started_at + ${FIRST_POLL_MS} * interval '1 ms'
          when 'stop' then c.started_at else t.next_step_at end,
        step = case when t.step = 'submit' then 'poll' else t.step end,
        deadline_at = case when t.step = 'submit' then c.deadline_at end,
        failures = case when t.step = 'submit' then 0 else t.failures end,
        fence = t.fence + 1, lease_until = null
      from jsonb_to_recordset(${fencedRecords(sql, changes)}) as c (account_id text, id text, submit_token text,
        upstream_id text, started_at timestamptz, deadline_at timestamptz)
      where t.account_id = c.account_id and t.id = c.id and t.submit_token = c.submit_token and t.upstream_id is null
      returning t.account_id, t.id, t.step, c.started_at
    ), shown as (
      update generation.generations g
      set status = 'processing', started_at = a.started_at
      from accepted a
      where a.step = 'poll' and g.account_id = a.account_id and g.id = a.id and g.status = 'pending'
    )
    select account_id, id from accepted`;
  const done = new Set(accepted.map(rowKey));
  return changes.map(({ row }) => done.has(rowKey(row)));
}

/** Renews this worker's lease; false if another one has the row. */
export async function extendLeaseIfLeased(
  sql: Sql,
  row: GenerationRow,
  leaseUntil: Date,
): Promise<boolean> {
  const result = await sql`
    update generation.tasks set lease_until = ${leaseUntil}
    where account_id = ${row.accountId} and id = ${row.id} and fence = ${row.fence.toString()}
      and lease_until is not null`;
  return result.count === 1;
}
