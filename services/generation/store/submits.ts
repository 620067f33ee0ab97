/** Rows of generation.submits: the upstream jobs that are known to belong to a generation. Append-only. */
import type { Db } from "#runtime/postgres/connect.ts";

export type SubmitRow = {
  account_id: string;
  generation_id: string;
  submit_token: string;
  credential: string;
  upstream_id: string;
  created_at: Date;
};

const COLUMNS = [
  "account_id",
  "generation_id",
  "submit_token",
  "credential",
  "upstream_id",
  "created_at",
] as const satisfies (keyof SubmitRow)[];

/** A submit that is stored already keeps its job. */
export async function insertSubmits(sql: Db, rows: readonly SubmitRow[]): Promise<void> {
  await sql`
    insert into generation.submits ${sql(rows, COLUMNS)}
    on conflict (account_id, generation_id, submit_token) do nothing`;
}

/** False if the upstream job belongs to another task, or the submit has led to another job. */
export async function insertSubmitIfFree(sql: Db, row: SubmitRow): Promise<boolean> {
  await sql`
    insert into generation.submits ${sql(row, COLUMNS)}
    on conflict do nothing`;
  const kept = await findSubmit(sql, row.account_id, row.generation_id, row.submit_token);
  return kept?.upstream_id === row.upstream_id;
}

export async function findSubmit(
  sql: Db,
  accountId: string,
  generationId: string,
  submitToken: string,
): Promise<SubmitRow | undefined> {
  const [row] = await sql<SubmitRow[]>`
    select ${sql(COLUMNS)} from generation.submits
    where account_id = ${accountId} and generation_id = ${generationId} and submit_token = ${submitToken}`;
  return row;
}

/** All known upstream jobs of a generation, oldest first. */
export async function listSubmits(
  sql: Db,
  accountId: string,
  generationId: string,
): Promise<SubmitRow[]> {
  return sql<SubmitRow[]>`
    select ${sql(COLUMNS)} from generation.submits
    where account_id = ${accountId} and generation_id = ${generationId}
    order by created_at, submit_token`;
}
