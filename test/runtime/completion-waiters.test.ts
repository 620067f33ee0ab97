/** Calls that wait for a generation to complete. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createCompletionWaiters } from "#runtime/completion-waiters.ts";
import { manualClock } from "../support/manual-clock.ts";

const connected = new AbortController().signal;
const MINUTE_MS = 60_000;

describe("a completion waiter", () => {
  it("is woken by the completion of its generation, not by that of another", async () => {
    const completions = createCompletionWaiters(manualClock());
    using waiter = completions.waiterOf("a");
    let isWoken = false;
    const wait = waiter.wait(MINUTE_MS, connected).then(() => (isWoken = true));
    completions.complete("b");
    await Promise.resolve();
    expect(isWoken).toBe(false);
    completions.complete("a");
    await wait;
  });

  it("does not miss a completion before its wait", async () => {
    const completions = createCompletionWaiters(manualClock());
    using waiter = completions.waiterOf("a");
    completions.complete("a");
    await expect(waiter.wait(MINUTE_MS, connected)).resolves.toBe(true);
  });

  it("does not wait once the service stops", async () => {
    const completions = createCompletionWaiters(manualClock());
    using waiter = completions.waiterOf("a");
    const wait = waiter.wait(MINUTE_MS, connected);
    completions.stop();
    await wait;
    await waiter.wait(MINUTE_MS, connected);
    expect(completions.isStopped).toBe(true);
  });

  it("is forgotten when disposed, and not the others of its generation", async () => {
    const completions = createCompletionWaiters(manualClock());
    const waiters = ["first", "second", "third"].map((name) => ({
      name,
      waiter: completions.waiterOf("a"),
    }));
    const woken: string[] = [];
    for (const { name, waiter } of waiters) {
      void waiter.wait(MINUTE_MS, connected).then(() => woken.push(name));
    }
    waiters[1]?.waiter[Symbol.dispose]();
    completions.complete("a");
    await turn();
    expect(woken).toEqual(["first", "third"]);
  });
});
