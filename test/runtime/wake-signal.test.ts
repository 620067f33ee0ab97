/** Waits that another part of the process ends early. */
import { describe, expect, it } from "vitest";
import { createWakeSignal } from "#runtime/loops.ts";
import { manualClock } from "../support/manual-clock.ts";

const never = new AbortController().signal;

describe("a wake signal", () => {
  it("ends the wait under way", async () => {
    const signal = createWakeSignal(manualClock());
    const wait = signal.wait(100, never);
    signal.wake();
    await expect(wait).resolves.toBe(true);
  });

  it("ends the next wait when nothing waits, and only that one", async () => {
    const clock = manualClock();
    const signal = createWakeSignal(clock);
    signal.wake();
    signal.wake();
    await signal.wait(100, never);
    let isOver = false;
    const second = signal.wait(100, never).then(() => (isOver = true));
    await Promise.resolve();
    expect(isOver).toBe(false);
    clock.advance(100);
    await second;
  });
});
