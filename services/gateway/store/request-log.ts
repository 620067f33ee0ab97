/** The log of API requests: rows are inserted in batches and read, and whole days of them are dropped. */
import { DAY_MS, addMs } from "#runtime/clock.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import type { ModeName } from "#vocabulary/names.ts";
import { type Bounds, dayOf } from "../domain/time.ts";

/** Days that are made before they begin. */
const DAYS_AHEAD = 2;

type Absent = "errorCode" | "errorParam" | "errorMessage" | "generationId";

export type AnsweredRequest = {
  /** When the answer ended. */
  at: Date;
  durationMs: number;
  status: number;
  accountId: string;
  mode: ModeName;
  keyId: string;
  requestId: string;
  method: string;
  path: string;
} & Record<Absent, string | undefined>;

/** All in one statement. */
export async function insertRequests(sql: Db, requests: readonly AnsweredRequest[]): Promise<void> {
  await sql`
    insert into gateway.request_log (at, duration_ms, status, account_id, mode, key_id, request_id, method, path,
      error_code, error_param, error_message, generation_id)
    select at, duration_ms, status, account_id, mode, key_id, request_id, method, path,
      error_code, error_param, error_message, generation_id
    from jsonb_populate_recordset(null::gateway.request_log, ${jsonRecords(sql, requests)})`;
}

/** Makes the tables of today and the next days, and drops those older than `days`; 0 makes none. */
export async function keepRequestDays(sql: Db, now: Date, days: number): Promise<void> {
  const oldest = dayOf(addMs(now, -days * DAY_MS));
  const last = dayOf(addMs(now, (days === 0 ? -1 : DAYS_AHEAD) * DAY_MS));
  await sql`select gateway.keep_request_days(${oldest}, ${dayOf(now)}, ${last})`;
}

/** `seq` tells apart the requests of one millisecond. */
export type RequestPosition = { at: Date; seq: bigint };

export type RequestRow = RequestPosition &
  Omit<AnsweredRequest, "accountId" | Absent> &
  Record<Absent, string | null>;

export type RequestOwner = { accountId: string; mode: ModeName };

export type RequestFilter = Bounds &
  Record<"requestId" | "keyId" | "generationId" | "method", string | undefined> & {
    /** The path is one of them. */
    paths: string[] | undefined;
    /** The lowest and the highest status. */
    status: { from: number; to: number } | undefined;
  };

/** A page, newest first. The position's time is compared twice, because Postgres skips days by a single column only. */
export function listRequests(
  sql: Db,
  { accountId, mode }: RequestOwner,
  filter: RequestFilter,
  { from, limit }: { from: RequestPosition | undefined; limit: number },
): Promise<RequestRow[]> {
  const { requestId, keyId, generationId, status, method, paths, after, before } = filter;
  // The index of errors is used only where the statement says that it looks for these.
  const isError = status !== undefined && status.from >= 400;
  return sql<RequestRow[]>`
    select at, seq, duration_ms, status, mode, key_id, request_id, method, path, error_code, error_param,
      error_message, generation_id
    from gateway.request_log
    where account_id = ${accountId} and mode = ${mode}
      ${requestId === undefined ? sql`` : sql`and request_id = ${requestId}`}
      ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
      ${generationId === undefined ? sql`` : sql`and generation_id = ${generationId}`}
      ${status === undefined ? sql`` : sql`and status between ${status.from} and ${status.to}`}
      ${method === undefined ? sql`` : sql`and method = ${method}`}
      ${paths === undefined ? sql`` : sql`and path = any(${paths})`}
      ${isError ? sql`and status >= 400` : sql``}
      ${after === undefined ? sql`` : sql`and at > ${after}`}
      ${before === undefined ? sql`` : sql`and at < ${before}`}
      ${from === undefined ? sql`` : sql`and at <= ${from.at} and (at, seq) < (${from.at}, ${from.seq})`}
    order by at desc, seq desc
    limit ${limit}`;
}

/** Whether the owner has a request at the position: one row of one day. */
export async function hasRequest(sql: Db, owner: RequestOwner, { at, seq }: RequestPosition) {
  const rows = await sql`
    select 1 as one from gateway.request_log
    where account_id = ${owner.accountId} and mode = ${owner.mode} and at = ${at} and seq = ${seq}`;
  return rows.length === 1;
}
