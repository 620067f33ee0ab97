/** Rows of generation.generations for operators: reads over all accounts, and updates by hand. */
import type { GenerationStatusName } from "#vocabulary/generation-status.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { literal } from "#runtime/postgres/literal.ts";
import type { Failure } from "../domain/failures.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { COLUMNS } from "./generations.ts";

export type TaskFilter = {
  accountId: string | undefined;
  /** Undefined: pending and processing. */
  status: GenerationStatusName | undefined;
  model: string | undefined;
  createdAfter: Date;
  limit: number;
};

/** Newest first. */
export async function listTasks(sql: Db, filter: TaskFilter): Promise<GenerationRow[]> {
  const { accountId, status, model, createdAfter, limit } = filter;
  return sql<GenerationRow[]>`
    select ${sql(COLUMNS)} from generation.generations
    where created_at > ${createdAfter}
      and ${status === undefined ? sql`status in ('pending', 'processing')` : sql`status = ${literal(sql, status)}`}
      ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
      ${model === undefined ? sql`` : sql`and model = ${model}`}
    order by created_at desc, id desc
    limit ${limit}`;
}

/** An acknowledged generation. Without an account the unfinished are searched first: an index has only those. */
export async function findTask(
  sql: Db,
  id: string,
  accountId: string | undefined,
): Promise<GenerationRow | undefined> {
  if (accountId !== undefined) return findOne(sql, sql`account_id = ${accountId} and id = ${id}`);
  return (
    (await findOne(sql, sql`id = ${id} and status in ('pending', 'processing')`)) ??
    findOne(sql, sql`id = ${id}`)
  );
}

async function findOne(sql: Db, condition: ReturnType<Db>): Promise<GenerationRow | undefined> {
  const [row] = await sql<GenerationRow[]>`
    select ${sql(COLUMNS)} from generation.generations where ${condition} and status is not null`;
  return row;
}

/** A task in step `stop` or `delete` counts as unfinished. The lease of a worker stays. */
export async function makeDueIfUnfinished(
  sql: Db,
  row: Pick<GenerationRow, "accountId" | "id">,
  at: Date,
): Promise<GenerationRow | undefined> {
  const [due] = await sql<GenerationRow[]>`
    update generation.generations set next_step_at = least(next_step_at, ${at}::timestamptz)
    where account_id = ${row.accountId} and id = ${row.id}
      and (status in ('pending', 'processing') or step in ('stop', 'delete'))
    returning ${sql(COLUMNS)}`;
  return due;
}

/** Decides the failure if no end is decided, and takes the row from the worker that holds it by raising the fence. */
export async function failGenerationIfOpen(
  sql: Db,
  row: GenerationRow,
  failure: Failure,
  at: Date,
): Promise<GenerationRow | undefined> {
  const [failed] = await sql<GenerationRow[]>`
    update generation.generations
    set settling = 'failed', error_code = ${failure.code}, error_message = ${failure.message}, step = 'settle',
      failures = 0, fence = fence + 1, lease_until = null, next_step_at = ${at}
    where account_id = ${row.accountId} and id = ${row.id} and settling is null
      and status in ('pending', 'processing')
    returning ${sql(COLUMNS)}`;
  return failed;
}
