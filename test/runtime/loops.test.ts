/** Loops: when a due loop claims, when a periodic job runs, and waits that another part ends early. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { pino } from "pino";
import { createWakeSignal, startDueLoop, startPeriodicJobs } from "#runtime/loops.ts";
import { manualClock } from "../support/manual-clock.ts";

const log = pino({ level: "silent" });
const never = new AbortController().signal;

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

it("a due loop that rests claims at once when it is woken, and once for all that wake it within its rest", async () => {
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

it("rows in work count as places, wake the loop when they end, and are waited for when it stops", async () => {
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

it("a periodic job runs again after it failed, and no more once disposed", async () => {
  const clock = manualClock();
  let runs = 0;
  const run = async () => {
    runs += 1;
    throw new Error("failed");
  };
  const job = { name: "test", firstAfterMs: 10, everyMs: 60, run };
  const jobs = startPeriodicJobs([job], { clock, log });
  const runsAfter = async (ms: number) => {
    clock.advance(ms);
    await endOfTurn();
    return runs;
  };
  expect([await runsAfter(9), await runsAfter(1)]).toEqual([0, 1]);
  expect([await runsAfter(59), await runsAfter(1)]).toEqual([1, 2]);
  await jobs[Symbol.asyncDispose]();
  expect(await runsAfter(600)).toBe(2);
});

it("a wake signal ends the wait under way, or else the next one, and only that one", async () => {
  const clock = manualClock();
  const signal = createWakeSignal(clock);
  const wait = signal.wait(100, never);
  signal.wake();
  await expect(wait).resolves.toBe(true);
  signal.wake();
  signal.wake();
  await expect(signal.wait(100, never)).resolves.toBe(true);
  const third = signal.wait(100, never);
  clock.advance(100);
  await expect(third).resolves.toBe(false);
});
