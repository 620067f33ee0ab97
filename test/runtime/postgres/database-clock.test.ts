/** Services go by the time of the database, not by their own. */
import type { Clock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { type Sql } from "#runtime/postgres/connect.ts";
import { openDatabaseClock } from "#runtime/postgres/database-clock.ts";
import { openBase } from "#runtime/service/service.ts";
import { connectedDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { serviceConfig } from "../../support/service-configs.ts";

/** Far less than what the clocks here are wrong by; the machine may be busy. */
const TOLERANCE_MS = 5_000;
const HOUR_MS = 3_600_000;
const log = createLog("test", "silent");
const database = forTests(() => connectedDatabase("billing", 1));

afterEach(() => {
  vi.useRealTimers();
});

async function errorMs(sql: Sql, clock: Clock) {
  const [row] = await sql<{ at: Date }[]>`select clock_timestamp() as at`;
  return Math.abs((row?.at.getTime() ?? 0) - clock.now().getTime());
}

it("the clock of a service is the database's, on a machine whose clock is an hour fast", async () => {
  await using stack = new AsyncDisposableStack();
  const { sql, url } = database;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR_MS });
  const identity = { owner: "billing", iat: 0 };
  const config = serviceConfig({ databaseUrl: url, identity, trusted: { keys: [] } });
  const { clock } = await openBase("billing", config, {}, stack);
  expect(await errorMs(sql, clock)).toBeLessThan(TOLERANCE_MS);
});

describe("the database clock", () => {
  it("does not move when the time of the machine is set", async () => {
    const { sql } = database;
    await using clock = await openDatabaseClock(sql, { log });
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    expect(await errorMs(sql, clock)).toBeLessThan(TOLERANCE_MS);
  });

  it("finds the time again after the machine was suspended", async () => {
    const { sql } = database;
    const own = manualClock();
    await using clock = await openDatabaseClock(sql, { clock: own, log });
    // As after a suspension in reverse: the machine's monotonic clock ran and the database's did not.
    own.advance(HOUR_MS);
    await expect.poll(() => errorMs(sql, clock)).toBeLessThan(TOLERANCE_MS);
  });
});
