/** Finds single rows. Reads are batched: while one statement runs, further ones wait for the next. */
import { batchByKey } from "#runtime/postgres/batch.ts";
import { isGenerationId } from "#runtime/id.ts";
import type { KindName } from "#vocabulary/kind.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { rowKey, type GenerationRow, type RowName } from "../domain/generation.ts";
import { findGenerations } from "./generations.ts";

/** The row as it is after the call began. */
export type FindGeneration = (accountId: string, id: string) => Promise<GenerationRow | undefined>;

const MAX_BATCH = 200;

export function batchedFind(sql: Sql): FindGeneration {
  const find = batchByKey<RowName, GenerationRow | null>({
    maxBatch: MAX_BATCH,
    // Each caller waits for its row; how many there are is limited where they come from.
    run: async (_key, names) => {
      const rows = await findGenerations(sql, names);
      const byName = new Map(rows.map((row) => [rowKey(row), row]));
      return names.map((name) => byName.get(rowKey(name)) ?? null);
    },
  });
  return async (accountId, id) => (await find("", { accountId, id })) ?? undefined;
}

/** What a client names a generation by. */
export type Address = { accountId: string; mode: ModeName; kind: KindName; id: string };

/** Undefined unless the generation is of that account, mode and kind; it may be deleted. */
export async function findVisible(
  find: FindGeneration,
  address: Address,
): Promise<GenerationRow | undefined> {
  if (!isGenerationId(address.id)) return undefined;
  const row = await find(address.accountId, address.id);
  const isAtAddress = row?.mode === address.mode && row.kind === address.kind;
  return isAtAddress ? row : undefined;
}
