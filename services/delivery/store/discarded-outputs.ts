/** Rows of delivery.discarded_outputs: generations whose outputs are not stored any more. */
import type { Db } from "#runtime/postgres/connect.ts";
import { deleteOldRows, type OldRows, type RowKey } from "./old-rows.ts";

const TABLE = { table: "delivery.discarded_outputs", time: "discarded_at" };

/** From the commit of this on no output of the generation is recorded as stored. */
export async function insertDiscardedOutput(
  sql: Db,
  accountId: string,
  generationId: string,
  at: Date,
): Promise<void> {
  await sql`
    insert into delivery.discarded_outputs (account_id, generation_id, discarded_at)
    values (${accountId}, ${generationId}, ${at})
    on conflict do nothing`;
}

/** Rows that are older than any copy can be. */
export function deleteOldDiscardedOutputs(sql: Db, rows: OldRows): Promise<RowKey | undefined> {
  return deleteOldRows(sql, TABLE, rows);
}
