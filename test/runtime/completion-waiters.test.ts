/** Calls that wait for a generation to complete. */
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
    await expect(waiter.wait(MINUTE_MS, connected)).resolves.toBeUndefined();
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

  it("is forgotten when disposed", () => {
    const completions = createCompletionWaiters(manualClock());
    {
      using _first = completions.waiterOf("a");
      using _second = completions.waiterOf("a");
      expect(completions.size).toBe(2);
    }
    expect(completions.size).toBe(0);
  });
});
