/** Periodic jobs: retries after a failure, and disposal. */
import { describe, expect, it } from "vitest";
import { startPeriodicJobs } from "#runtime/loops.ts";
import { manualClock } from "../support/manual-clock.ts";
import { silentLog } from "../delivery/webhook/sender-fixture.ts";

describe("a periodic job", () => {
  it("runs again after it failed, and no more once disposed", async () => {
    const clock = manualClock();
    const runs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let count = 0;
    const run = () => {
      runs[count++]?.resolve();
      return Promise.reject(new Error("failed"));
    };
    const slept = Promise.withResolvers<void>();
    const watched = {
      ...clock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (ms === 60) slept.resolve();
        await clock.sleep(ms, signal);
      },
    };
    const job = { name: "test", firstAfterMs: 10, everyMs: 60, run };
    const jobs = startPeriodicJobs([job], { clock: watched, log: silentLog });
    clock.advance(10);
    await runs[0]?.promise;
    await slept.promise;
    clock.advance(60);
    await runs[1]?.promise;
    await jobs[Symbol.asyncDispose]();
    clock.advance(600);
    expect(count).toBe(2);
  });
});
