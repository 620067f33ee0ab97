/** Rows of generation.generations: create, take over, find, and note that delivery has accepted their ends. */
import type { KindName } from "#vocabulary/kind.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/json-records.ts";
import type { JsonObject } from "@bufbuild/protobuf";
import { rowKey, type GenerationRow, type RowName } from "../domain/generation.ts";
import type { ModeName } from "#vocabulary/mode.ts";

/** Every column of a row, with its type in Postgres. */
export const COLUMN_TYPES = {
  accountId: "text",
  id: "text",
  kind: "text",
  mode: "text",
  model: "text",
  input: "jsonb",
  defaulted: "text[]",
  tokens: "bigint",
  attempt: "integer",
  step: "text",
  status: "text",
  progress: "integer",
  fence: "bigint",
  leaseUntil: "timestamptz",
  nextStepAt: "timestamptz",
  failures: "integer",
  upstream: "text",
  submitToken: "text",
  submittedAt: "timestamptz",
  credential: "text",
  upstreamModel: "text",
  upstreamId: "text",
  goneSince: "timestamptz",
  settling: "text",
  output: "jsonb",
  errorCode: "text",
  errorMessage: "text",
  cancelRequestedAt: "timestamptz",
  createdAt: "timestamptz",
  startedAt: "timestamptz",
  deadlineAt: "timestamptz",
  completedAt: "timestamptz",
  keyId: "text",
  requestId: "text",
  traceparent: "text",
  deletedAt: "timestamptz",
  erasedAt: "timestamptz",
} as const satisfies Record<keyof GenerationRow, string>;

export const COLUMNS = Object.keys(COLUMN_TYPES) as (keyof GenerationRow)[];

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
 * Inserts rows in step `reserve`; false for each whose id exists, or comes before it in `rows`. In the order of their
 * names, so that processes that insert the same names never wait for each other in a circle.
 */
export async function insertGenerations(
  sql: Db,
  rows: readonly NewGeneration[],
): Promise<boolean[]> {
  const records = rows.map((it) => ({ ...it, tokens: it.tokens.toString() }));
  const inserted = await sql<RowName[]>`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt,
      step, lease_until, next_step_at, created_at, key_id, request_id, traceparent)
    select account_id, id, kind, mode, model, input, defaulted, tokens, 1, 'reserve', lease_until, undo_at, at, key_id,
      request_id, traceparent
    from jsonb_to_recordset(${jsonRecords(sql, records)}) as it (account_id text, id text, kind text, mode text,
      model text, input jsonb, defaulted text[], tokens bigint, lease_until timestamptz, undo_at timestamptz,
      at timestamptz, key_id text, request_id text, traceparent text)
    order by account_id, id
    on conflict do nothing
    returning account_id, id`;
  const fresh = new Set(inserted.map(rowKey));
  return rows.map((row) => fresh.delete(rowKey(row)));
}

/** The row that `insertGenerations` makes. */
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

/** Puts a new create into the row of an undone one; its hold gets the next attempt number. */
export async function reuseGenerationIfVoid(
  sql: Db,
  it: NewGeneration,
  attempt: number,
): Promise<GenerationRow | undefined> {
  const [row] = await sql<GenerationRow[]>`
    update generation.generations
    set model = ${it.model}, input = ${sql.json(it.input)}, defaulted = ${it.defaulted},
      tokens = ${it.tokens.toString()}, attempt = attempt + 1, step = 'reserve', fence = fence + 1,
      lease_until = ${it.leaseUntil}, next_step_at = ${it.undoAt}, failures = 0, created_at = ${it.at}, key_id = ${it.keyId},
      request_id = ${it.requestId}, traceparent = ${it.traceparent}
    where account_id = ${it.accountId} and id = ${it.id} and step = 'void' and attempt = ${attempt}
    returning ${sql(COLUMNS)}`;
  return row;
}

/** Continues a create whose call's lease has ended, with the same hold and price. */
export async function takeOverGenerationIfAbandoned(
  sql: Db,
  row: GenerationRow,
  at: Date,
  leaseUntil: Date,
  undoAt: Date,
): Promise<GenerationRow | undefined> {
  const [taken] = await sql<GenerationRow[]>`
    update generation.generations
    set fence = fence + 1, lease_until = ${leaseUntil}, next_step_at = ${undoAt}
    where account_id = ${row.accountId} and id = ${row.id} and step = 'reserve' and fence = ${row.fence.toString()}
      and lease_until <= ${at}
    returning ${sql(COLUMNS)}`;
  return taken;
}

/** Deletes the row of an undone create, unless a create has reused it. */
export async function deleteGenerationIfVoid(sql: Db, row: GenerationRow): Promise<void> {
  await sql`
    delete from generation.generations
    where account_id = ${row.accountId} and id = ${row.id} and step = 'void' and fence = ${row.fence.toString()}`;
}

/** The rows that exist, in any order and in any step, also those that are not visible. */
export function findGenerations(
  sql: Db,
  names: readonly Pick<GenerationRow, "accountId" | "id">[],
): Promise<GenerationRow[]> {
  return sql<GenerationRow[]>`
    select ${sql(COLUMNS.map((column) => `g.${column}`))}
    from unnest(${names.map((name) => name.accountId)}::text[], ${names.map((name) => name.id)}::text[])
      as named (account_id, id)
    join generation.generations g using (account_id, id)`;
}

/** Ends step `notify`: delivery has accepted the end. */
export async function confirmAcceptedIfWaiting(
  sql: Db,
  { accountId, id }: RowName,
  step: "stop" | "done",
  at: Date,
): Promise<void> {
  await sql`
    update generation.generations
    set step = ${step}, next_step_at = ${step === "done" ? null : at}::timestamptz, lease_until = null
    where account_id = ${accountId} and id = ${id} and step = 'notify'`;
}
