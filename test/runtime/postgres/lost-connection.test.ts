/** A connection that is lost at any moment fails its statements, and throws nothing where nobody can catch it. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { connectPostgres, type Sql, type Transaction } from "#runtime/postgres/connect.ts";
import { isDatabaseUnavailable } from "#runtime/postgres/limits.ts";
import { testDatabase } from "../../support/database.ts";
import { startDatabaseProxy } from "../../support/database-proxy.ts";

const uncaught: unknown[] = [];
const onUncaught = (error: unknown) => void uncaught.push(error);
beforeAll(() => {
  process.on("uncaughtException", onUncaught).on("unhandledRejection", onUncaught);
});
beforeEach(() => void uncaught.splice(0));
afterAll(() => {
  process.off("uncaughtException", onUncaught).off("unhandledRejection", onUncaught);
});

async function setUp(stack: AsyncDisposableStack) {
  const { url } = stack.use(await testDatabase("billing"));
  const proxy = stack.use(await startDatabaseProxy(url));
  return { proxy, serverUrl: url, url: proxy.through(url) };
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => "ok",
    (error: unknown) => (isDatabaseUnavailable(error) ? "unavailable" : String(error)),
  );
const statement = (sql: Sql | Transaction) => sql`select ${["a"]}::text[]`;

/** Below this number of bytes from the server a connection is not ready, whatever it is for. */
const READY = 600;

it.each<[string, number, (sql: Sql) => Promise<unknown>]>([
  ["a statement", 0, statement],
  [
    "a transaction",
    READY,
    (sql) => sql.begin(async (tx) => [await statement(tx), await statement(tx)]),
  ],
])("is lost after any number of bytes of %s", async (_, from, use) => {
  await using stack = new AsyncDisposableStack();
  const { proxy, url } = await setUp(stack);
  const outcomes: string[] = [];
  for (let bytes = from; outcomes.at(-1) !== "ok"; bytes += 23) {
    proxy.cutAfter(bytes);
    const sql = connectPostgres({ url, maxConnections: 1 }, "test");
    outcomes.push(await outcome(use(sql)));
    await sql.end({ timeout: 0 });
  }
  expect(new Set(outcomes)).toEqual(new Set(["unavailable", "ok"]));
  expect(uncaught).toEqual([]);
});

it("is lost within a transaction that goes on after its statement has failed", async () => {
  await using stack = new AsyncDisposableStack();
  const { proxy, url, serverUrl } = await setUp(stack);
  const sql = connectPostgres({ url, maxConnections: 1 }, "test");
  stack.defer(() => sql.end({ timeout: 0 }));
  const transaction = sql.begin((tx) => tx`select pg_sleep(60)`.catch(() => {}));
  const direct = connectPostgres({ url: serverUrl, maxConnections: 1 }, "test");
  stack.defer(() => direct.end({ timeout: 0 }));
  const sleeping = () => direct`
    select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  await expect.poll(sleeping).toHaveLength(1);
  // The driver gives a lost connection up a millisecond later, which would hide on a slow machine what it did before.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  stack.defer(() => void vi.useRealTimers());
  proxy.cut();
  expect(await outcome(transaction)).toBe("unavailable");
  await endOfTurn();
  expect(uncaught).toEqual([]);
});
