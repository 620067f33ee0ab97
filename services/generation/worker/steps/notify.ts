/** Step `notify`: sends the end of a generation to delivery by RPC, because delivery did not confirm the event. */
import type { Deps } from "./deps.ts";
import { isTerminal } from "#vocabulary/generation-status.ts";
import {
  finishedGeneration,
  stepAfterNotify,
  type GenerationRow,
} from "../../domain/generation.ts";
import { confirmAcceptedIfWaiting } from "../../store/generations.ts";

export async function notify(deps: Deps, row: GenerationRow): Promise<undefined> {
  if (!isTerminal(row.status)) throw new Error("a row in step notify has not ended");
  await deps.delivery.acceptEnd({ finished: finishedGeneration(row) });
  const step = stepAfterNotify(row, row.status);
  await confirmAcceptedIfWaiting(deps.sql, row, step, deps.clock.now());
}
