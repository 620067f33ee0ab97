/** When a due loop claims: at once, or together. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { startDueLoop } from "#runtime/loops.ts";
import { manualClock } from "../support/manual-clock.ts";

const log = pino({ level: "silent" });

/** A loop that claims every second, and finds one row for each of `works`. */
function loopOf(restMs: number, works: readonly Promise<void>[] = []) {
  const clock = manualClock();
  let claims = 0;
  const limits: number[] = [];
  const loop = startDueLoop<Promise<void>>(
    {
      name: "test",
      concurrency: 10,
      idleMs: 1_000,
      restMs,
      claim: async (limit) => {
        claims += 1;
        limits.push(limit);
        return claims === 1 ? [...works] : [];
      },
      work: (row) => row,
    },
    { clock, log },
  );
  /** Lets everything run that needs no time, after `ms`; how many claims there were until then. */
  const claimsAfter = async (ms: number) => {
    await endOfTurn();
    clock.advance(ms);
    await endOfTurn();
    return claims;
  };
  return { ...loop, claimsAfter, limits };
}

describe("a due loop that rests", () => {
  it("claims at once when it is woken, and once for all that wake it within its rest", async () => {
    await using loop = loopOf(25);
    expect(await loop.claimsAfter(25)).toBe(1);
    loop.wake();
    expect(await loop.claimsAfter(0)).toBe(2);
    loop.wake();
    loop.wake();
    expect(await loop.claimsAfter(24)).toBe(2);
    expect(await loop.claimsAfter(1)).toBe(3);
    expect(await loop.claimsAfter(999)).toBe(3);
  });
});

describe("rows in work", () => {
  it("count as places, wake the loop when they end, and are waited for when it stops", async () => {
    const works = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const loop = loopOf(
      0,
      works.map(({ promise }) => promise),
    );
    expect(await loop.claimsAfter(0)).toBe(1);
    works[0].resolve();
    expect(await loop.claimsAfter(0)).toBe(2);
    expect(loop.limits).toEqual([10, 9]);
    let isStopped = false;
    const stopped = loop[Symbol.asyncDispose]().then(() => (isStopped = true));
    await endOfTurn();
    expect(isStopped).toBe(false);
    works[1].resolve();
    await stopped;
  });
});
