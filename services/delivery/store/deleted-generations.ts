/** Rows of delivery.deleted_generations, which delivery.delete_webhooks writes. */
import type { Db } from "#runtime/postgres/connect.ts";
import { deleteOldRows, type OldRows, type RowKey } from "./old-rows.ts";

const TABLE = { table: "delivery.deleted_generations", time: "deleted_at" };

/** Rows that are older than any event of a generation can be. */
export function deleteOldDeletedGenerations(sql: Db, rows: OldRows): Promise<RowKey | undefined> {
  return deleteOldRows(sql, TABLE, rows);
}
