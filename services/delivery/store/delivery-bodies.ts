/** What a webhook delivery sends. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";

/** The exact bytes, as the text that they are. */
export async function findDeliveryBody(
  sql: Db,
  { accountId, mode }: { accountId: string; mode: ModeName },
  id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ body: Buffer }[]>`
    select body from delivery.webhook_deliveries
    where account_id = ${accountId} and mode = ${mode} and id = ${id}`;
  return row?.body.toString("utf8");
}
