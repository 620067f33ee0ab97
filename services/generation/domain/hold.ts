/** Names the hold of a generation at billing: the generation and the attempt number of its create. */
import { modeOf } from "#vocabulary/names.ts";
import type { GenerationRow } from "./generation.ts";

export function holdOf(row: GenerationRow) {
  return {
    accountId: row.accountId,
    mode: modeOf(row.mode),
    generationId: row.id,
    attempt: row.attempt,
  };
}
