/** Rows of delivery.deleted_generations, which delivery.delete_webhooks writes. */
import type { Db } from "#runtime/postgres/connect.ts";

/** Rows that are older than any event of a generation can be. */
export async function forgetDeletedGenerationsBefore(sql: Db, before: Date): Promise<void> {
  await sql`delete from delivery.deleted_generations where deleted_at < ${before}`;
}
