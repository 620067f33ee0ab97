/** Rows of generation.submits: which upstream jobs are known to belong to which generation. Append-only. */
import type { Db } from "#runtime/postgres.ts";

export type SubmitRow = {
  account_id: string;
  generation_id: string;
  submit_token: string;
  credential: string;
  upstream_id: string;
  created_at: Date;
};

export async function insertSubmits(sql: Db, rows: readonly SubmitRow[]): Promise<void> {
  await sql`
    insert into generation.submits ${sql(rows, "account_id", "generation_id", "submit_token", "credential", "upstream_id", "created_at")}
    on conflict (account_id, generation_id, submit_token) do nothing`;
}

export async function findSubmit(
  sql: Db,
  accountId: string,
  generationId: string,
  submitToken: string,
): Promise<SubmitRow | undefined> {
  const [row] = await sql<SubmitRow[]>`
    select account_id, generation_id, submit_token, credential, upstream_id, created_at
    from generation.submits
    where account_id = ${accountId} and generation_id = ${generationId} and submit_token = ${submitToken}`;
  return row;
}
