/** Waits until a generation has ended, in this process or in another. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../deps.ts";
import { isTerminal } from "../domain/generation.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { findGeneration } from "../store/generations.ts";

/** Another process may be the one that ends it, so the row is looked at too. */
const LOOK_AGAIN_MS = 500;

/** The row once it has ended, or as it is after `waitMs` or when the caller has gone. */
export async function waitForEnd(
  deps: Deps,
  row: GenerationRow,
  waitMs: number,
  callerGone: AbortSignal,
): Promise<GenerationRow> {
  const giveUpAt = addMs(deps.clock.now(), waitMs);
  let current = row;
  while (!isTerminal(current.status) && deps.clock.now() < giveUpAt && !callerGone.aborted) {
    const turn = new AbortController();
    const ended = deps.completions.wait(row.id, turn.signal);
    current = (await findGeneration(deps.sql, row.account_id, row.id)) ?? current;
    if (!isTerminal(current.status)) {
      const pause = deps.clock.sleep(LOOK_AGAIN_MS, AbortSignal.any([turn.signal, callerGone]));
      await Promise.race([ended, pause]);
    }
    turn.abort();
  }
  return current;
}
