/** A generation and its task as one row, and how rows are found by their names. */
import postgres from "postgres";
import { isGenerationId } from "#runtime/id.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import type { KindName, ModeName } from "#vocabulary/names.ts";
import { VIEW_COLUMNS, rowKey, type GenerationRow, type RowName } from "../domain/generation.ts";

/** `g` is the generation, `t` its task. */
const OF_GENERATION = (column: string) => `g.${column}`;
const OF_TASK = (column: string) => `t.${column}`;
/** The task's while there is one; the generation gets it with its end. */
const LATEST = (column: string) => `coalesce(t.${column}, g.${column})`;

/** Every column of a row, from a generation `g` and its task `t`, which may be missing. */
const EXPRESSIONS: Record<
  Exclude<keyof GenerationRow, "isUnsent" | "isTrial">,
  (column: string) => string
> = {
  accountId: OF_GENERATION,
  id: OF_GENERATION,
  kind: OF_GENERATION,
  mode: OF_GENERATION,
  model: OF_GENERATION,
  input: OF_GENERATION,
  defaulted: OF_GENERATION,
  tokens: OF_GENERATION,
  attempt: OF_GENERATION,
  createdAt: OF_GENERATION,
  keyId: OF_GENERATION,
  requestId: OF_GENERATION,
  traceparent: OF_GENERATION,
  status: OF_GENERATION,
  startedAt: OF_GENERATION,
  completedAt: OF_GENERATION,
  deletedAt: OF_GENERATION,
  erasedAt: OF_GENERATION,
  step: () => "coalesce(t.step, 'done')",
  fence: () => "coalesce(t.fence, 0)",
  failures: () => "coalesce(t.failures, 0)",
  lastError: () => "case when t.failures > 0 then t.last_error end",
  leaseUntil: OF_TASK,
  nextStepAt: OF_TASK,
  credential: OF_TASK,
  upstreamModel: OF_TASK,
  goneSince: OF_TASK,
  cancelRequestedAt: OF_TASK,
  deadlineAt: OF_TASK,
  upstream: LATEST,
  submitToken: LATEST,
  submittedAt: LATEST,
  upstreamId: LATEST,
  errorCode: LATEST,
  errorMessage: LATEST,
  output: () => "coalesce(t.output, g.output, '[]')",
  progress: () => "coalesce(case when g.completed_at is null then t.progress end, g.progress, 0)",
  settling: () => "coalesce(t.settling, case when g.completed_at is not null then g.status end)",
};

const JOINED = Object.entries(EXPRESSIONS)
  .map(([name, expression]) => [postgres.fromCamel(name), expression] as const)
  .map(([column, expression]) => `${expression(column)} as ${column}`)
  .join(", ");

/** The columns of a row, for a statement that has a generation as `g` and its task as `t`. */
export function joinedColumns(sql: Db): ReturnType<Db> {
  return sql`${sql.unsafe(JOINED)}`;
}

const SHOWN = VIEW_COLUMNS.map((column) => `g.${postgres.fromCamel(column)}`).join(", ");

/** What clients see of a generation `g`. */
export function shownColumns(sql: Db): ReturnType<Db> {
  return sql`${sql.unsafe(SHOWN)}, ${shownProgress(sql)}`;
}

/** The progress of a generation `g`: that of its task until it has ended. */
export function shownProgress(sql: Db): ReturnType<Db> {
  return sql`case when g.completed_at is null then coalesce((
    select t.progress from generation.tasks t where t.account_id = g.account_id and t.id = g.id), 0)
    else g.progress end as progress`;
}

/** The rows that exist, in any order. */
export function findGenerations(sql: Db, names: readonly RowName[]): Promise<GenerationRow[]> {
  return sql<GenerationRow[]>`
    select ${joinedColumns(sql)}
    from unnest(${names.map((name) => name.accountId)}::text[], ${names.map((name) => name.id)}::text[])
      as named (account_id, id)
    join generation.generations g on g.account_id = named.account_id and g.id = named.id
    left join generation.tasks t on t.account_id = named.account_id and t.id = named.id`;
}

/** The row as it is after the call began. */
export type FindGeneration = (accountId: string, id: string) => Promise<GenerationRow | undefined>;

const MAX_BATCH = 200;

/** Batches reads: while one statement runs, further ones wait for the next. */
export function batchedFind(sql: Sql): FindGeneration {
  const find = batchByKey<RowName, GenerationRow | null>({
    maxBatch: MAX_BATCH,
    // Each caller waits for its row; how many there are is limited where they come from.
    run: async (_key, names) => {
      const rows = await findGenerations(sql, names);
      const byName = new Map(rows.map((row) => [rowKey(row), row]));
      return names.map((name) => byName.get(rowKey(name)) ?? null);
    },
  });
  return async (accountId, id) => (await find("", { accountId, id })) ?? undefined;
}

/** What a client names a generation by. */
export type Address = { accountId: string; mode: ModeName; kind: KindName; id: string };

/** Undefined unless the generation is of that account, mode and kind; it may be deleted. */
export async function findVisible(
  find: FindGeneration,
  address: Address,
): Promise<GenerationRow | undefined> {
  if (!isGenerationId(address.id)) return undefined;
  const row = await find(address.accountId, address.id);
  const isAtAddress = row?.mode === address.mode && row.kind === address.kind;
  return isAtAddress ? row : undefined;
}
