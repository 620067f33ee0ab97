/** When a due loop claims: at once, or together. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { startDueLoop } from "#runtime/due-loop.ts";
import { manualClock } from "../support/manual-clock.ts";

const log = pino({ level: "silent" });

/** A loop that claims every second and never finds a row. */
function idleLoop(restMs: number) {
  const clock = manualClock();
  let claims = 0;
  const loop = startDueLoop(
    {
      name: "test",
      concurrency: 10,
      idleMs: 1_000,
      restMs,
      claim: async () => {
        claims += 1;
        return [];
      },
      work: async () => {},
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
  return { ...loop, claimsAfter };
}

describe("a due loop that rests", () => {
  it("claims at once when it is woken, and once for all that wake it within its rest", async () => {
    await using loop = idleLoop(25);
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

describe("rows that are begun besides those that a loop claims", () => {
  it("are at most half of its free places, wake it when they end, and are waited for when it stops", async () => {
    const loop = idleLoop(0);
    expect(loop.spare()).toBe(5);
    const works = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    for (const work of works) loop.begin(() => work.promise);
    expect(loop.spare()).toBe(4);
    expect(await loop.claimsAfter(0)).toBe(1);
    works[0].resolve();
    expect(await loop.claimsAfter(0)).toBe(2);
    let isStopped = false;
    const stopped = loop[Symbol.asyncDispose]().then(() => (isStopped = true));
    expect(loop.spare()).toBe(0);
    await endOfTurn();
    expect(isStopped).toBe(false);
    works[1].resolve();
    await stopped;
  });
});
