/** Waits until a generation has ended, in this process or in another. */
import type { HandlerContext } from "@connectrpc/connect";
import { addMs } from "#runtime/clock.ts";
import type { CompletionWaiter } from "#runtime/completion-waiters.ts";
import { isTerminal } from "#vocabulary/generation-status.ts";
import type { Deps } from "./deps.ts";
import type { GenerationRow } from "../domain/generation.ts";

/** The row is read again without a signal, because another process may end it. */
const READ_AGAIN_MS = 500;

/** What an answer needs of its call's deadline. */
const ANSWER_WITHIN_MS = 2_000;

/**
 * When a handler that may wait for `waitMs` has to answer. A repeated call has less time left, because all calls have
 * one deadline.
 */
export function waitUntil(
  { clock }: Pick<Deps, "clock">,
  { timeoutMs }: Pick<HandlerContext, "timeoutMs">,
  waitMs: number,
): Date {
  const leftMs = (timeoutMs() ?? Infinity) - ANSWER_WITHIN_MS;
  return addMs(clock.now(), Math.min(waitMs, leftMs));
}

/**
 * The row once it has ended, or as it is at `giveUpAt` or when the caller has gone. `waiter` is the row's, and older than
 * `row`, so that no end is missed in between.
 */
export async function waitForEnd(
  deps: Deps,
  waiter: CompletionWaiter,
  row: GenerationRow,
  giveUpAt: Date,
  callerGone: AbortSignal,
): Promise<GenerationRow> {
  let current = row;
  while (!isTerminal(current.status) && deps.clock.now() < giveUpAt && !callerGone.aborted) {
    await waiter.wait(READ_AGAIN_MS, callerGone);
    current = (await deps.find(row.accountId, row.id)) ?? current;
  }
  return current;
}
