/** Rows of generation.generations: create, acknowledge, undo, find, and confirm the handover. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { JsonObject } from "@bufbuild/protobuf";
import type { GenerationRow, KindName } from "../domain/generation.ts";
import { isGenerationId } from "#runtime/id.ts";
import type { ModeName } from "#runtime/mode.ts";

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
  provider: "text",
  submitToken: "text",
  submittedAt: "timestamptz",
  credential: "text",
  upstreamModel: "text",
  upstreamId: "text",
  settling: "text",
  output: "jsonb",
  errorCode: "text",
  errorMessage: "text",
  cancelRequestedAt: "timestamptz",
  createdAt: "timestamptz",
  startedAt: "timestamptz",
  deadlineAt: "timestamptz",
  completedAt: "timestamptz",
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
  at: Date;
  /** The end of the creating call's lease. */
  leaseUntil: Date;
  /** When a worker undoes it unless it is acknowledged. */
  undoAt: Date;
};

/** A new row in step `reserve`; undefined if the id exists. */
export async function insertGeneration(
  sql: Db,
  it: NewGeneration,
): Promise<GenerationRow | undefined> {
  const [row] = await sql<GenerationRow[]>`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt,
      step, lease_until, next_step_at, created_at)
    values (${it.accountId}, ${it.id}, ${it.kind}, ${it.mode}, ${it.model}, ${sql.json(it.input)},
      ${it.defaulted}, ${it.tokens.toString()}, 1, 'reserve', ${it.leaseUntil}, ${it.undoAt}, ${it.at})
    on conflict do nothing
    returning ${sql(COLUMNS)}`;
  return row;
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
      lease_until = ${it.leaseUntil}, next_step_at = ${it.undoAt}, failures = 0, created_at = ${it.at}
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

/** Makes the generation visible; it waits in its queue for a slot until `queueUntil`. */
export async function acknowledgeGenerationIfHeld(
  sql: Db,
  row: GenerationRow,
  at: Date,
  queueUntil: Date,
): Promise<GenerationRow | undefined> {
  const [acknowledged] = await sql<GenerationRow[]>`
    update generation.generations
    set step = 'queue', status = case kind when 'video' then 'pending' else 'processing' end,
      started_at = case kind when 'image' then ${at}::timestamptz end, lease_until = null,
      next_step_at = ${queueUntil}
    where account_id = ${row.accountId} and id = ${row.id} and step = 'reserve' and fence = ${row.fence.toString()}
    returning ${sql(COLUMNS)}`;
  return acknowledged;
}

/**
 * Undoes the create: its hold's attempt number is not used again. A worker releases the hold at `releaseAt`; null if
 * there certainly is no hold. False if another call or a worker has the row.
 */
export async function voidGenerationIfReserving(
  sql: Db,
  row: GenerationRow,
  releaseAt: Date | null,
): Promise<boolean> {
  const result = await sql`
    update generation.generations
    set step = 'void', lease_until = null, next_step_at = ${releaseAt}
    where account_id = ${row.accountId} and id = ${row.id} and step = 'reserve' and fence = ${row.fence.toString()}`;
  return result.count === 1;
}

/** A row in any step, also one that is not visible. */
export async function findGeneration(
  sql: Db,
  accountId: string,
  id: string,
): Promise<GenerationRow | undefined> {
  const [row] = await sql<GenerationRow[]>`
    select ${sql(COLUMNS)} from generation.generations where account_id = ${accountId} and id = ${id}`;
  return row;
}

/** What a client names a generation by. */
export type Address = { accountId: string; mode: ModeName; kind: KindName; id: string };

/** Undefined unless the generation is acknowledged and of that account, mode and kind. */
export async function findVisible(sql: Db, address: Address): Promise<GenerationRow | undefined> {
  if (!isGenerationId(address.id)) return undefined;
  const row = await findGeneration(sql, address.accountId, address.id);
  const isAtAddress = row?.status && row.mode === address.mode && row.kind === address.kind;
  return isAtAddress ? row : undefined;
}

/** Ends step `notify`: delivery has stored the end. */
export async function confirmHandoverIfWaiting(
  sql: Db,
  accountId: string,
  id: string,
  at: Date,
): Promise<void> {
  const mayLeaveSomething = sql`status <> 'success' and submit_token is not null`;
  await sql`
    update generation.generations
    set step = case when ${mayLeaveSomething} then 'stop' else 'done' end,
      next_step_at = case when ${mayLeaveSomething} then ${at}::timestamptz end, lease_until = null
    where account_id = ${accountId} and id = ${id} and step = 'notify'`;
}
