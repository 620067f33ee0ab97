/** Creates: a generation and its queued task, visible from one statement on. */
import type { Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import {
  rowKey,
  type GenerationRow,
  type GenerationView,
  type RowName,
} from "../domain/generation.ts";
import { serverStart } from "./row-server.ts";

/** What clients see of a generation that has just been created, besides what its create stores. */
export const NOT_ENDED = {
  progress: 0,
  output: [],
  errorCode: null,
  errorMessage: null,
  completedAt: null,
};

/** What a create stores. */
export type NewGeneration = Omit<GenerationView, keyof typeof NOT_ENDED | "status"> &
  Pick<GenerationRow, "defaulted" | "attempt" | "requestId" | "traceparent"> & {
    /** Pending until an upstream has it, or shown as processing from its create on. */
    status: "pending" | "processing";
    /** When it fails if it is queued still. */
    queueUntil: Date;
    /** Nothing is inserted later by the database's clock: the hold may have been released. */
    insertBy: Date;
    /** Nothing is inserted on another Postgres server, or after a restart: the hold may be lost. */
    server: bigint;
  };

/**
 * Inserts generations with their tasks; false for each whose id exists, comes before it in `rows`, or that is too late
 * or on another server. In the order of names, so that processes never wait for each other in a circle.
 */
export async function insertCreates(sql: Db, rows: readonly NewGeneration[]): Promise<boolean[]> {
  const records = new Map(rows.toReversed().map((row) => [rowKey(row), row]));
  const inserted = await sql<RowName[]>`
    with it as (
      select * from jsonb_to_recordset(${jsonRecords(sql, [...records.values()])}) as it (account_id text, id text,
        kind text, mode text, model text, input jsonb, defaulted text[], tokens bigint, attempt integer, key_id text,
        request_id text, traceparent text, created_at timestamptz, started_at timestamptz, status text,
        queue_until timestamptz, insert_by timestamptz, server bigint)
    ), made as (
      insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status,
        created_at, started_at, key_id, request_id, traceparent)
      select account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status, created_at, started_at, key_id,
        request_id, traceparent
      from it where clock_timestamp() < insert_by and server = ${serverStart(sql)}
      order by account_id, id
      on conflict do nothing
      returning account_id, id
    )
    insert into generation.tasks (account_id, id, kind, mode, model, tokens, attempt, step, next_step_at, created_at)
    select it.account_id, it.id, kind, mode, model, tokens, attempt, 'queue', queue_until, created_at
    from made join it on it.account_id = made.account_id and it.id = made.id
    returning account_id, id`;
  const fresh = new Set(inserted.map(rowKey));
  return rows.map((row) => fresh.delete(rowKey(row)));
}

/** Whether a write that began before `at` has not ended. A commit may wait for a standby for ever, its rows unseen. */
export async function hasOpenWrite(sql: Db, at: Date): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    select exists (select from pg_stat_activity where datname = current_database() and usename = current_user
      and backend_xid is not null and xact_start < ${at}) as found`;
  return row.found;
}

/** Creates that replicas of 1.0.0 have not acknowledged for so long: from here on they cannot be. */
export async function deleteUnacknowledged(sql: Db, createdBefore: Date): Promise<void> {
  await sql`
    delete from generation.tasks
    where step in ('reserve', 'void') and created_at < ${createdBefore}`;
}
