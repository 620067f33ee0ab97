/** Pages of generation.generations, newest first, and which of many rows have ended. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { GenerationRow, KindName, StatusName } from "../domain/generation.ts";
import { COLUMNS } from "./generations.ts";

export type Page = {
  accountId: string;
  mode: ModeName;
  kind: KindName;
  status: StatusName | undefined;
  model: string | undefined;
  createdAfter: Date | undefined;
  createdBefore: Date | undefined;
  /** The last row of the previous page. */
  after: Pick<GenerationRow, "createdAt" | "id"> | undefined;
  limit: number;
};

export async function listGenerations(sql: Db, page: Page): Promise<GenerationRow[]> {
  const { status, model, createdAfter, createdBefore, after } = page;
  return sql<GenerationRow[]>`
    select ${sql(COLUMNS)} from generation.generations
    where account_id = ${page.accountId} and mode = ${page.mode} and kind = ${page.kind}
      and status is not null and deleted_at is null
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${model === undefined ? sql`` : sql`and model = ${model}`}
      ${createdAfter === undefined ? sql`` : sql`and created_at > ${createdAfter}`}
      ${createdBefore === undefined ? sql`` : sql`and created_at < ${createdBefore}`}
      ${after === undefined ? sql`` : sql`and (created_at, id) < (${after.createdAt}, ${after.id})`}
    order by created_at desc, id desc
    limit ${page.limit}`;
}

/** The ids of those that have ended. */
export async function listEnded(
  sql: Db,
  names: readonly { accountId: string; generationId: string }[],
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select g.id
    from unnest(${names.map(({ accountId }) => accountId)}::text[],
      ${names.map(({ generationId }) => generationId)}::text[]) as name (account_id, id)
    join generation.generations g on g.account_id = name.account_id and g.id = name.id
    where g.completed_at is not null`;
  return rows.map(({ id }) => id);
}
