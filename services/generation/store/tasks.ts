/** Generations and their tasks for operators: reads over all accounts, and updates by hand. */
import type { GenerationStatusName } from "#vocabulary/generation-status.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { literal } from "#runtime/postgres/literal.ts";
import type { Failure } from "../domain/failures.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { joinedColumns } from "./generations.ts";

export type TaskFilter = {
  accountId: string | undefined;
  /** Undefined: pending and processing. */
  status: GenerationStatusName | undefined;
  model: string | undefined;
  createdAfter: Date;
  limit: number;
};

/** A generation that has ended may have no task. */
function withTask(sql: Db, join: "join" | "left join"): ReturnType<Db> {
  return sql`generation.generations g
    ${sql.unsafe(join)} generation.tasks t on t.account_id = g.account_id and t.id = g.id`;
}

/** Newest first. Those that are not finished are read from the tasks, which are few. */
export async function listTasks(sql: Db, filter: TaskFilter): Promise<GenerationRow[]> {
  const { accountId, status, model, createdAfter, limit } = filter;
  const isOpen = status === undefined || status === "pending" || status === "processing";
  return sql<GenerationRow[]>`
    select ${joinedColumns(sql)} from ${withTask(sql, isOpen ? "join" : "left join")}
    where g.created_at > ${createdAfter}
      and ${status === undefined ? sql`g.status in ('pending', 'processing')` : sql`g.status = ${literal(sql, status)}`}
      ${accountId === undefined ? sql`` : sql`and g.account_id = ${accountId}`}
      ${model === undefined ? sql`` : sql`and g.model = ${model}`}
    order by g.created_at desc, g.id desc
    limit ${limit}`;
}

/** Without an account the tasks are searched first, which are few. */
export async function findTask(
  sql: Db,
  id: string,
  accountId: string | undefined,
): Promise<GenerationRow | undefined> {
  const all = withTask(sql, "left join");
  if (accountId !== undefined) {
    return findOne(sql, all, sql`g.account_id = ${accountId} and g.id = ${id}`);
  }
  return (
    (await findOne(sql, withTask(sql, "join"), sql`t.id = ${id}`)) ??
    findOne(sql, all, sql`g.id = ${id}`)
  );
}

async function findOne(
  sql: Db,
  from: ReturnType<Db>,
  condition: ReturnType<Db>,
): Promise<GenerationRow | undefined> {
  const [row] = await sql<GenerationRow[]>`
    select ${joinedColumns(sql)} from ${from} where ${condition}`;
  return row;
}

/** A task in step `stop` or `delete` counts as unfinished. The lease of a worker stays. */
export async function makeDueIfUnfinished(
  sql: Db,
  row: Pick<GenerationRow, "accountId" | "id">,
  at: Date,
): Promise<GenerationRow | undefined> {
  const [due] = await sql<GenerationRow[]>`
    update generation.tasks t set next_step_at = least(t.next_step_at, ${at}::timestamptz)
    from generation.generations g
    where t.account_id = ${row.accountId} and t.id = ${row.id} and t.step <> 'notify'
      and g.account_id = t.account_id and g.id = t.id
    returning ${joinedColumns(sql)}`;
  return due;
}

/** Decides the failure if no end is decided, and takes the row from the worker that holds it by raising the fence. */
export async function failTaskIfOpen(
  sql: Db,
  row: GenerationRow,
  failure: Failure,
  at: Date,
): Promise<GenerationRow | undefined> {
  const [failed] = await sql<GenerationRow[]>`
    update generation.tasks t
    set settling = 'failed', error_code = ${failure.code}, error_message = ${failure.message}, step = 'settle',
      failures = 0, fence = t.fence + 1, lease_until = null, next_step_at = ${at}
    from generation.generations g
    where t.account_id = ${row.accountId} and t.id = ${row.id}
      and t.step in ('queue', 'submit', 'poll') and g.account_id = t.account_id and g.id = t.id
    returning ${joinedColumns(sql)}`;
  return failed;
}
