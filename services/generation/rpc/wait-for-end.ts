/** Waits until a generation has ended, in this process or in another. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../deps.ts";
import { isTerminal } from "../domain/generation.ts";
import type { GenerationRow } from "../domain/generation.ts";

/** The row is read again without a signal, because another process may end it. */
const READ_AGAIN_MS = 500;

/** The row once it has ended, or as it is after `waitMs` or when the caller has gone. */
export async function waitForEnd(
  deps: Deps,
  row: GenerationRow,
  waitMs: number,
  callerGone: AbortSignal,
): Promise<GenerationRow> {
  const giveUpAt = addMs(deps.clock.now(), waitMs);
  using waiter = deps.completions.waiterOf(row.id);
  let current = row;
  while (!isTerminal(current.status) && deps.clock.now() < giveUpAt && !callerGone.aborted) {
    current = (await deps.find(row.accountId, row.id)) ?? current;
    if (!isTerminal(current.status)) await waiter.wait(READ_AGAIN_MS, callerGone);
  }
  return current;
}
