/** Waits until a generation has ended, in this process or in another. */
import { addMs } from "#runtime/clock.ts";
import type { CompletionWaiter } from "#runtime/completion-waiters.ts";
import { isTerminal } from "#runtime/generation-status.ts";
import type { Deps } from "../deps.ts";
import type { GenerationRow } from "../domain/generation.ts";

/** The row is read again without a signal, because another process may end it. */
const READ_AGAIN_MS = 500;

/**
 * The row once it has ended, or as it is after `waitMs` or when the caller has gone. `waiter` is the row's, and older than
 * `row`, so that no end is missed in between.
 */
export async function waitForEnd(
  deps: Deps,
  waiter: CompletionWaiter,
  row: GenerationRow,
  waitMs: number,
  callerGone: AbortSignal,
): Promise<GenerationRow> {
  const giveUpAt = addMs(deps.clock.now(), waitMs);
  let current = row;
  while (!isTerminal(current.status) && deps.clock.now() < giveUpAt && !callerGone.aborted) {
    await waiter.wait(READ_AGAIN_MS, callerGone);
    current = (await deps.find(row.accountId, row.id)) ?? current;
  }
  return current;
}
