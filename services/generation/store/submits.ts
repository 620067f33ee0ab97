/** Rows of generation.submits: the upstream jobs that are known to belong to a generation. Append-only. */
import type { Db } from "#runtime/postgres/connect.ts";

export type SubmitRow = {
  accountId: string;
  generationId: string;
  submitToken: string;
  credential: string;
  upstreamId: string;
  createdAt: Date;
};

const COLUMNS = [
  "accountId",
  "generationId",
  "submitToken",
  "credential",
  "upstreamId",
  "createdAt",
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
  const kept = await findSubmit(sql, row.accountId, row.generationId, row.submitToken);
  return kept?.upstreamId === row.upstreamId;
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
