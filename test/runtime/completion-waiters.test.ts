/** Calls that wait for a generation to complete. */
import { setImmediate as turn } from "node:timers/promises";
import { createCompletionWaiters } from "#runtime/completion-waiters.ts";
import { manualClock } from "../support/manual-clock.ts";

it("a waiter is forgotten when disposed, and not the others of its generation", async () => {
  const completions = createCompletionWaiters(manualClock());
  const waiters = ["first", "second", "third"].map((name) => ({
    name,
    waiter: completions.waiterOf("a"),
  }));
  const woken: string[] = [];
  for (const { name, waiter } of waiters) {
    void waiter.wait(60_000, new AbortController().signal).then(() => woken.push(name));
  }
  waiters[1]?.waiter[Symbol.dispose]();
  completions.complete("a");
  await turn();
  expect(woken).toEqual(["first", "third"]);
});
