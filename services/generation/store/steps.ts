/** Claims of due rows, and the updates that workers make under their fence. */
import postgres from "postgres";
import type { TerminalStatus } from "#vocabulary/generation-status.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/json-records.ts";
import { addMs } from "#runtime/clock.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { COLUMN_TYPES, COLUMNS } from "./generations.ts";

/** How many rows with upstream work may be claimed of each credential: those in `free`, and each of the others. */
export type DueLimits = { free: ReadonlyMap<string, number>; ofOthers: number };

const UNLIMITED: DueLimits = { free: new Map(), ofOthers: Infinity };

/** Leases due rows to one worker. `for update skip locked` lets any number of workers claim at the same time. */
export async function claimDueGenerations(
  sql: Sql,
  at: Date,
  leaseMs: number,
  limit: number,
  { free, ofOthers }: DueLimits = UNLIMITED,
): Promise<GenerationRow[]> {
  const columns = COLUMNS.map((column) => `g.${column}`);
  const full = [...free].flatMap(([credential, count]) => (count < 1 ? [credential] : []));
  const atMost = (count: number) => Math.min(count, limit);
  return sql<GenerationRow[]>`
    with candidate as (
      select account_id, id, next_step_at, case when step in ('submit', 'poll') then credential end as credential
      from generation.generations
      where next_step_at <= ${at} and (lease_until is null or lease_until <= ${at})
        and (credential is null or step not in ('submit', 'poll')
          or credential <> all(${full}::text[]))
      order by next_step_at
      limit ${limit}
      for update skip locked
    ), ranked as (
      select *, row_number() over (partition by credential order by next_step_at) as ordinal from candidate
    ), due as (
      select account_id, id from ranked
      left join unnest(${[...free.keys()]}::text[], ${[...free.values()].map(atMost)}::int[])
        as share (credential, free) using (credential)
      where credential is null or ordinal <= coalesce(share.free, ${atMost(ofOthers)}::int)
    )
    update generation.generations g
    set fence = g.fence + 1, lease_until = ${addMs(at, leaseMs)}
    from due
    where g.account_id = due.account_id and g.id = due.id
    returning ${sql(columns)}`;
}

type NotNull<K extends keyof GenerationRow> = { [C in K]: NonNullable<GenerationRow[C]> };

/** The columns that a step may change. Absent ones keep their value. */
export type StepChange = Partial<
  Pick<
    GenerationRow,
    | "step"
    | "progress"
    | "nextStepAt"
    | "leaseUntil"
    | "failures"
    | "upstream"
    | "credential"
    | "upstreamModel"
    | "submitToken"
    | "goneSince"
  > &
    NotNull<"status" | "submittedAt" | "upstreamId" | "startedAt" | "deadlineAt" | "completedAt">
>;

export type Decision = Pick<GenerationRow, "output" | "errorCode" | "errorMessage"> & {
  settling: TerminalStatus;
};

export type Change<C> = { row: GenerationRow; change: C };

/** Changes with the same shape are written by one statement. */
export function shapeOf(change: StepChange | Decision): string {
  return Object.keys(change).sort().join(" ");
}

/** Writes changes of one shape; false for each row that is done or that another worker has taken. */
export function updateGenerationsIfHeld(
  sql: Db,
  changes: readonly Change<StepChange>[],
): Promise<boolean[]> {
  // The worker of a done row may not know it: the reply was lost, and it would make the row due again.
  return write(sql, changes, sql``, sql`and g.step <> 'done'`);
}

/** Decides how generations end; false for each row that another worker has taken or whose end was decided before. */
export function decideGenerationsIfOpen(
  sql: Db,
  changes: readonly Change<Decision>[],
): Promise<boolean[]> {
  return write(sql, changes, sql`, step = 'settle', failures = 0`, sql`and g.settling is null`);
}

async function write(
  sql: Db,
  changes: readonly Change<StepChange | Decision>[],
  extraSets: ReturnType<Db>,
  guard: ReturnType<Db>,
): Promise<boolean[]> {
  const columns = Object.keys(changes[0]?.change ?? {}) as (keyof StepChange | keyof Decision)[];
  const types = columns
    .map((column) => `, ${postgres.fromCamel(column)} ${COLUMN_TYPES[column]}`)
    .join("");
  const sets = columns
    .map(postgres.fromCamel)
    .map((name) => `${name} = c.${name}`)
    .join(", ");
  const records = changes.map(({ row, change }) => ({
    ...change,
    accountId: row.accountId,
    id: row.id,
    fence: row.fence.toString(),
  }));
  const written = await sql<{ id: string; fence: bigint }[]>`
    update generation.generations g set ${sql.unsafe(sets)} ${extraSets}
    from jsonb_to_recordset(${jsonRecords(sql, records)})
      as c (account_id text, id text, fence bigint ${sql.unsafe(types)})
    where g.account_id = c.account_id and g.id = c.id and g.fence = c.fence ${guard}
    returning g.id, g.fence`;
  const done = new Set(written.map(({ id, fence }) => `${id} ${fence}`));
  return changes.map(({ row }) => done.has(`${row.id} ${row.fence}`));
}

/** Renews this worker's lease; false if another one has the row. */
export async function extendLeaseIfHeld(
  sql: Sql,
  row: GenerationRow,
  leaseUntil: Date,
): Promise<boolean> {
  const result = await sql`
    update generation.generations set lease_until = ${leaseUntil}
    where account_id = ${row.accountId} and id = ${row.id} and fence = ${row.fence.toString()}
      and lease_until is not null`;
  return result.count === 1;
}
