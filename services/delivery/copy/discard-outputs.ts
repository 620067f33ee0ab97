/** Leaves nothing stored of a generation's outputs. */
import type { Sql } from "#runtime/postgres/connect.ts";
import { possibleKeys, type ObjectStore } from "../storage/object-store.ts";
import { discardAssets } from "../store/asset-deletions.ts";
import { insertDiscardedOutput } from "../store/discarded-outputs.ts";

/**
 * Marks what is stored of the generation for deletion, refuses to store more, and deletes the objects of copies that
 * ended before they recorded them. A running copy deletes its own object. Rejects when the database or the storage fails;
 * repeated, it does what is left.
 */
export async function discardOutputs(
  { sql, store }: { sql: Sql; store: Pick<ObjectStore, "delete"> },
  generation: { accountId: string; generationId: string; at: Date },
): Promise<void> {
  const { accountId, generationId, at } = generation;
  // Committed first: what is recorded before it is marked below, and nothing is recorded after it.
  await insertDiscardedOutput(sql, accountId, generationId, at);
  const unrecorded = await sql.begin((tx) => discardAssets(tx, generation));
  await Promise.all(unrecorded.flatMap(possibleKeys).map((key) => store.delete(key)));
}
