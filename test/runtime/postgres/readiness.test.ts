/** Readiness does not get stuck on an old answer, and one late answer is no outage. */
import { createReadiness } from "#runtime/postgres/readiness.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { manualClock } from "../../support/manual-clock.ts";

const shutdown = { begun: new AbortController().signal };
let isUp = false;
const answer = () => (isUp ? Promise.resolve([]) : Promise.reject(new Error("down")));
const sql = answer as unknown as Sql;

test("is asked for again when the database's time has gone back, as after a failover", async () => {
  const clock = manualClock();
  let backMs = 0;
  const database = { ...clock, now: () => new Date(clock.now().getTime() - backMs) };
  const { isReady } = createReadiness({ sql, clock: database, shutdown });
  expect(await isReady()).toBe(false);
  isUp = true;
  backMs = 60_000;
  clock.advance(1_000);
  expect(await isReady()).toBe(true);
});

test("has no Postgres after two looks that failed in a row, until one succeeds or all are old", async () => {
  const clock = manualClock();
  const readiness = createReadiness({ sql, clock, shutdown });
  const look = async (of: boolean, afterMs = 1_000) => {
    isUp = of;
    clock.advance(afterMs);
    await readiness.isReady();
    return readiness.hasPostgres();
  };
  expect([await look(false), await look(true), await look(false)]).toEqual([true, true, true]);
  expect([await look(false), await look(false), await look(true)]).toEqual([false, false, true]);
  expect([await look(false), await look(false), await look(false, 15_000)]).toEqual([
    true,
    false,
    true,
  ]);
});

test("looks once at a time, so that a late look says nothing after a newer one", async () => {
  const looks: PromiseWithResolvers<never[]>[] = [];
  const silent = () => {
    const look = Promise.withResolvers<never[]>();
    looks.push(look);
    return look.promise;
  };
  const clock = manualClock();
  const { isReady } = createReadiness({ sql: silent as unknown as Sql, clock, shutdown });
  const first = isReady();
  clock.advance(2_000);
  const second = isReady();
  expect(looks).toHaveLength(1);
  looks[0]?.resolve([]);
  expect(await Promise.all([first, second])).toEqual([true, true]);
  void isReady();
  expect(looks).toHaveLength(2);
});
