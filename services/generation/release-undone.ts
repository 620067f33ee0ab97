/** Gives back what an attempt at a create held that was refused or undone. */
import type { Deps } from "./deps.ts";
import type { GenerationRow } from "./domain/generation.ts";
import { holdOf } from "./domain/hold.ts";
import { storedUrls } from "./domain/input-urls.ts";

/** The Tokens and the files of the row's attempt; what later attempts hold stays. */
export async function releaseUndone(deps: Deps, row: GenerationRow): Promise<void> {
  await deps.billing.release({ hold: holdOf(row) });
  if (storedUrls(row).length === 0) return;
  const { accountId, id: generationId, attempt } = row;
  await deps.delivery.releaseFiles({ accountId, generationId, attempt });
}
