/** When a due loop claims: at once, together, or a little later. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { startDueLoop } from "#runtime/due-loop.ts";
import type { DueWork } from "#runtime/due-loop.ts";
import { manualClock } from "../support/manual-clock.ts";

const log = pino({ level: "silent" });

/** A loop that claims every second; each of its rows is worked on until its promise resolves. */
function loopOf(rows: Promise<void>[], pauses: Pick<DueWork<unknown>, "restMs" | "afterWorkMs">) {
  const clock = manualClock();
  let claims = 0;
  const loop = startDueLoop<Promise<void>>(
    {
      name: "test",
      concurrency: 10,
      idleMs: 1_000,
      ...pauses,
      claim: async () => {
        claims += 1;
        return rows.splice(0);
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
  return { claimsAfter, wake: loop.wake, [Symbol.asyncDispose]: loop[Symbol.asyncDispose] };
}

describe("a due loop that rests", () => {
  it("claims at once when it is woken, and once for all that wake it within its rest", async () => {
    await using loop = loopOf([], { restMs: 25 });
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

describe("work that ends", () => {
  it("makes the next claim come after a pause", async () => {
    const work = Promise.withResolvers<void>();
    await using loop = loopOf([work.promise], { afterWorkMs: 25 });
    expect(await loop.claimsAfter(0)).toBe(1);
    work.resolve();
    expect(await loop.claimsAfter(24)).toBe(1);
    expect(await loop.claimsAfter(1)).toBe(2);
  });

  it("needs no claim of its own when another one came in the pause", async () => {
    const work = Promise.withResolvers<void>();
    await using loop = loopOf([work.promise], { afterWorkMs: 25 });
    expect(await loop.claimsAfter(0)).toBe(1);
    work.resolve();
    await loop.claimsAfter(10);
    loop.wake();
    expect(await loop.claimsAfter(0)).toBe(2);
    expect(await loop.claimsAfter(500)).toBe(2);
  });
});
