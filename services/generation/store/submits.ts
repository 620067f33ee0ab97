/** Rows of generation.submits: the upstream jobs that are known to belong to a generation. Rows are added only. */
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

/** A submit that is stored already keeps its job. True for each, since it is stored then. */
export async function insertSubmits(sql: Db, rows: readonly SubmitRow[]): Promise<true[]> {
  await sql`
    insert into generation.submits ${sql(rows, COLUMNS)}
    on conflict (account_id, generation_id, submit_token) do nothing`;
  return rows.map(() => true);
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
    where account_id = ${accountId} and generation_id = ${generationId} and submit_token = ${submitToken}
      and upstream_id is not null`;
  return row;
}

/** A row whose generation's content may be deleted, and the upstream's id with it. */
export type KeptSubmit = Omit<SubmitRow, "upstreamId"> & { upstreamId: string | null };

/** All known upstream jobs of a generation, oldest first. */
export async function listSubmits(
  sql: Db,
  accountId: string,
  generationId: string,
): Promise<KeptSubmit[]> {
  return sql<KeptSubmit[]>`
    select ${sql(COLUMNS)} from generation.submits
    where account_id = ${accountId} and generation_id = ${generationId}
    order by created_at, submit_token`;
}

/**
 * For a statement that begins with the generations `erased`: leaves of their upstream ids only what keeps the jobs from
 * being taken for another task's.
 */
export function eraseUpstreamIds(sql: Db): ReturnType<Db> {
  return sql`
    update generation.submits s
    set upstream_id = null, upstream_sha256 = sha256(replace(s.upstream_id, '\\', '\\\\')::bytea)
    from erased
    where s.account_id = erased.account_id and s.generation_id = erased.id and s.upstream_id is not null`;
}

/** Does the same for a job that is recorded late, if the content was deleted before. */
export async function eraseUpstreamIdsIfErased(
  sql: Db,
  accountId: string,
  generationId: string,
): Promise<void> {
  await sql`
    with erased as (
      select account_id, id from generation.generations
      where account_id = ${accountId} and id = ${generationId} and erased_at is not null
      -- Waits for a deletion that did not see the job.
      for share
    ) ${eraseUpstreamIds(sql)}`;
}
