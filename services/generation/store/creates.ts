/** Creates in generation.tasks: inserted, taken over, reused and deleted, until the acknowledgement makes a generation. */
import type { JsonObject } from "@bufbuild/protobuf";
import type postgres from "postgres";
import type { KindName } from "#vocabulary/kind.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/json-records.ts";
import { rowKey, type GenerationRow, type RowName } from "../domain/generation.ts";
import { joinedColumns } from "./generations.ts";
import type { SlotFields } from "./slots.ts";
import type { Change } from "./steps.ts";

/** What a create stores, in a new row or in the row of an undone create. */
export type NewGeneration = {
  accountId: string;
  id: string;
  kind: KindName;
  mode: ModeName;
  model: string;
  input: JsonObject;
  defaulted: string[];
  tokens: bigint;
  keyId: string | null;
  requestId: string | null;
  traceparent: string | null;
  at: Date;
  /** The end of the creating call's lease. */
  leaseUntil: Date;
  /** When a worker undoes it unless it is acknowledged. */
  undoAt: Date;
};

/**
 * Inserts tasks in step `reserve`; false for each whose id exists, or comes before it in `rows`. In the order of their
 * names, so that processes that insert the same names never wait for each other in a circle. A generation that was
 * created and has ended since this statement began is not seen; its hold is spent, so that the task is voided.
 */
export async function insertCreates(sql: Db, rows: readonly NewGeneration[]): Promise<boolean[]> {
  const records = rows.map((it) => ({ ...it, tokens: it.tokens.toString() }));
  const inserted = await sql<RowName[]>`
    insert into generation.tasks (account_id, id, kind, mode, model, input, defaulted, tokens, attempt,
      step, lease_until, next_step_at, created_at, key_id, request_id, traceparent)
    select account_id, id, kind, mode, model, input, defaulted, tokens, 1, 'reserve', lease_until, undo_at, at, key_id,
      request_id, traceparent
    from jsonb_to_recordset(${jsonRecords(sql, records)}) as it (account_id text, id text, kind text, mode text,
      model text, input jsonb, defaulted text[], tokens bigint, lease_until timestamptz, undo_at timestamptz,
      at timestamptz, key_id text, request_id text, traceparent text)
    where not exists (
      select from generation.generations g where g.account_id = it.account_id and g.id = it.id)
    order by account_id, id
    on conflict do nothing
    returning account_id, id`;
  const fresh = new Set(inserted.map(rowKey));
  return rows.map((row) => fresh.delete(rowKey(row)));
}

/** The row that `insertCreates` makes. */
export function insertedRow({ at, undoAt, ...it }: NewGeneration): GenerationRow {
  return {
    ...it,
    attempt: 1,
    step: "reserve",
    status: null,
    progress: 0,
    fence: 1n,
    nextStepAt: undoAt,
    failures: 0,
    upstream: null,
    submitToken: null,
    submittedAt: null,
    credential: null,
    upstreamModel: null,
    upstreamId: null,
    goneSince: null,
    settling: null,
    output: [],
    errorCode: null,
    errorMessage: null,
    cancelRequestedAt: null,
    createdAt: at,
    startedAt: null,
    deadlineAt: null,
    completedAt: null,
    deletedAt: null,
    erasedAt: null,
  };
}

/** What clients see from the acknowledgement on: what somebody waits for has begun. */
type Shown = { status: "pending"; startedAt: null } | { status: "processing"; startedAt: Date };

/** `nextStepAt`: when a task fails that is queued still. */
export type Queued = Shown & { step: "queue"; nextStepAt: Date };

/** The task has its slot, its worker and the intent to submit at once. */
export type Begun = Shown &
  SlotFields & {
    step: "submit";
    nextStepAt: Date;
    leaseUntil: Date;
    submitToken: string;
    submittedAt: Date;
  };

export type Acknowledgement = Queued | Begun;

/** Makes generations of creates and puts their tasks into the queue, or begins them; false for each that was taken from its call. */
export async function acknowledgeCreatesIfHeld(
  sql: Db,
  creates: readonly Change<Acknowledgement>[],
): Promise<boolean[]> {
  const records = creates.map(({ row, change }) => ({
    ...change,
    accountId: row.accountId,
    id: row.id,
    fence: row.fence.toString(),
  }));
  const acknowledged = await sql<RowName[]>`
    with c as (
      select * from jsonb_to_recordset(${jsonRecords(sql, records)}) as c (account_id text, id text, fence bigint,
        status text, started_at timestamptz, step text, next_step_at timestamptz, lease_until timestamptz, upstream text,
        credential text, upstream_model text, submit_token text, submitted_at timestamptz)
    ), held as (
      select t.*, c.status, c.started_at
      from c join generation.tasks t on t.account_id = c.account_id and t.id = c.id
      where t.step = 'reserve' and t.fence = c.fence
      for update of t
    ), visible as (
      insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status,
        created_at, started_at, key_id, request_id, traceparent)
      select account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status, created_at, started_at, key_id,
        request_id, traceparent
      from held
    )
    update generation.tasks t
    set step = c.step, fence = t.fence + (c.step = 'submit')::int, lease_until = c.lease_until,
      next_step_at = c.next_step_at, upstream = c.upstream, credential = c.credential,
      upstream_model = c.upstream_model, submit_token = c.submit_token, submitted_at = c.submitted_at,
      input = null, defaulted = null, key_id = null, request_id = null, traceparent = null
    from held join c on c.account_id = held.account_id and c.id = held.id
    where t.account_id = held.account_id and t.id = held.id
    returning t.account_id, t.id`;
  const done = new Set(acknowledged.map(rowKey));
  return creates.map(({ row }) => done.delete(rowKey(row)));
}

/** The row that `acknowledgeCreatesIfHeld` makes. */
export function acknowledgedRow(row: GenerationRow, change: Acknowledgement): GenerationRow {
  const fence = change.step === "submit" ? row.fence + 1n : row.fence;
  return { ...row, leaseUntil: null, ...change, fence };
}

/** Puts a new create into the row of an undone one; its hold gets the next attempt number. */
export async function reuseCreateIfVoid(
  sql: Db,
  it: NewGeneration,
  attempt: number,
): Promise<GenerationRow | undefined> {
  const reused = sql`
    update generation.tasks
    set model = ${it.model}, input = ${sql.json(it.input)}, defaulted = ${it.defaulted},
      tokens = ${it.tokens.toString()}, attempt = attempt + 1, step = 'reserve', fence = fence + 1,
      lease_until = ${it.leaseUntil}, next_step_at = ${it.undoAt}, failures = 0, created_at = ${it.at}, key_id = ${it.keyId},
      request_id = ${it.requestId}, traceparent = ${it.traceparent}
    where account_id = ${it.accountId} and id = ${it.id} and step = 'void' and attempt = ${attempt}
    returning *`;
  const [row] = await rowOf(sql, reused);
  return row;
}

/** Continues a create whose call's lease has ended, with the same hold and price. */
export async function takeOverCreateIfAbandoned(
  sql: Db,
  row: GenerationRow,
  at: Date,
  leaseUntil: Date,
  undoAt: Date,
): Promise<GenerationRow | undefined> {
  const continued = sql`
    update generation.tasks
    set fence = fence + 1, lease_until = ${leaseUntil}, next_step_at = ${undoAt}
    where account_id = ${row.accountId} and id = ${row.id} and step = 'reserve' and fence = ${row.fence.toString()}
      and lease_until <= ${at}
    returning *`;
  const [taken] = await rowOf(sql, continued);
  return taken;
}

/** The row of a create that `changed` returns the task of. */
function rowOf(sql: Db, changed: postgres.PendingQuery<postgres.Row[]>): Promise<GenerationRow[]> {
  return sql<GenerationRow[]>`
    with t as (${changed})
    select ${joinedColumns(sql)}
    from t left join generation.generations g on g.account_id = t.account_id and g.id = t.id`;
}

/** Deletes the row of an undone create, unless a create has reused it. */
export async function deleteCreateIfVoid(sql: Db, row: GenerationRow): Promise<void> {
  await sql`
    delete from generation.tasks
    where account_id = ${row.accountId} and id = ${row.id} and step = 'void' and fence = ${row.fence.toString()}`;
}
