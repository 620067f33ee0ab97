/** Services get over a Postgres that dies, and a path to it that is cut or silent, soon and without help. */
import { describe, expect, it } from "vitest";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { type Limits, isDatabaseUnavailable, allowMuch } from "#runtime/postgres/limits.ts";
import { testDatabase } from "../../support/database.ts";
import { startDatabaseProxy } from "../../support/database-proxy.ts";

/** A pool before a proxy. */
async function setUp(
  stack: AsyncDisposableStack,
  maxConnections: number,
  limits: Partial<Limits> = {},
) {
  const { url } = stack.use(await testDatabase("billing"));
  const proxy = stack.use(await startDatabaseProxy(url));
  const pool = (through: string) => {
    const sql = connectPostgres({ url: through, maxConnections, limits }, "test");
    stack.defer(() => sql.end({ timeout: 1 }));
    return sql;
  };
  return { proxy, sql: pool(proxy.through(url)), direct: pool(url) };
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => "ok",
    (error: unknown) => (isDatabaseUnavailable(error) ? "unavailable" : String(error)),
  );
const answers = (sql: Sql) => outcome(sql`select 1`);

describe("connections that are cut", () => {
  it("fail what is in flight, in and outside of transactions, and nothing after that", async () => {
    await using stack = new AsyncDisposableStack();
    const { sql, proxy } = await setUp(stack, 4);
    await sql`select 1`;
    const inFlight = [
      outcome(sql`select pg_sleep(60)`),
      outcome(sql.begin((tx) => tx`select pg_sleep(60)`)),
      outcome(
        sql.begin(async (tx) => {
          await tx`select 1`;
          await inFlight[0];
          await tx`select 1`;
        }),
      ),
    ];
    await expect.poll(proxy.connections).toBe(3);
    proxy.cut();
    expect(await Promise.all(inFlight)).toEqual(Array.from(inFlight, () => "unavailable"));
    const after = Array.from({ length: 20 }, () => answers(sql));
    expect(new Set(await Promise.all(after))).toEqual(new Set(["ok"]));
  });
});

describe("connections that fall silent", () => {
  it("are given up, with what waits for them, and replaced", async () => {
    await using stack = new AsyncDisposableStack();
    const { sql, proxy } = await setUp(stack, 2, { silent: 1_500 });
    for (const one of await Promise.all([sql.reserve(), sql.reserve()])) one.release();
    proxy.silence();
    const first = await Promise.all([answers(sql), outcome(sql.begin((tx) => tx`select 1`))]);
    expect(first).toEqual(["unavailable", "unavailable"]);
    expect(await answers(sql)).toBe("ok");
  });

  it("are closed when nobody uses them, also after a transaction that had more time", async () => {
    await using stack = new AsyncDisposableStack();
    const { sql, proxy } = await setUp(stack, 2, { silent: 1_500 });
    await sql.begin((tx) => allowMuch(tx, 60_000));
    await expect.poll(proxy.connections).toBe(0);
    expect(await answers(sql)).toBe("ok");
  });
});

describe("a process that stood still for longer than a connection may be silent", () => {
  const SILENT_MS = 1_500;
  const standStill = () =>
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * SILENT_MS);

  it("reads the answers that have arrived meanwhile, has its next statement answered, and still notices silence", async () => {
    await using stack = new AsyncDisposableStack();
    const { sql, direct } = await setUp(stack, 2, { silent: SILENT_MS });
    const pids: number[] = [];
    for (const one of await Promise.all([direct.reserve(), direct.reserve()])) {
      const [row] = await one<{ pid: number }[]>`select pg_backend_pid() as pid`;
      pids.push(row?.pid ?? 0);
      one.release();
    }
    const next = Promise.withResolvers<string>();
    const before = direct.begin(async (tx) => {
      const answer = outcome(tx`select 1`);
      // When the event loop goes on, this timer is over, and after it those of both connections.
      setTimeout(() => next.resolve(answers(direct)), SILENT_MS / 2);
      // Right after the driver's own `setImmediate`, which writes the statement: before an answer can be read.
      process.nextTick(() => setImmediate(standStill));
      return answer;
    });
    expect([await outcome(before), await next.promise]).toEqual(["ok", "ok"]);
    const open = () => sql`select pid from pg_stat_activity where pid = any(${pids})`;
    await expect.poll(open).toEqual([]);
  });
});

describe("a statement", () => {
  it("is given up by Postgres after its time limit", async () => {
    await using stack = new AsyncDisposableStack();
    const { sql } = await setUp(stack, 1, { statement: 1_000 });
    expect(await outcome(sql`select pg_sleep(60)`)).toBe("unavailable");
    expect(await answers(sql)).toBe("ok");
  });

  it("has the time that its transaction was given, and no other has", async () => {
    await using stack = new AsyncDisposableStack();
    const { sql } = await setUp(stack, 1, { statement: 1_000, silent: 1_500 });
    const sleeps = sql.begin(async (tx) => {
      await allowMuch(tx, 60_000);
      await tx`select pg_sleep(2)`;
    });
    expect(await outcome(sleeps)).toBe("ok");
    expect(await sql`show statement_timeout`).toEqual([{ statementTimeout: "1s" }]);
    const tooLong = sql.begin(async (tx) => {
      await allowMuch(tx, 100);
      await tx`select pg_sleep(60)`;
    });
    expect(await outcome(tooLong)).toBe("unavailable");
  });

  it("does not wait long for a free connection", async () => {
    await using stack = new AsyncDisposableStack();
    const { sql } = await setUp(stack, 1, { wait: 1_500 });
    const release = Promise.withResolvers<void>();
    const held = sql.reserve().then(async (reserved) => {
      await release.promise;
      reserved.release();
    });
    expect(await answers(sql)).toBe("unavailable");
    release.resolve();
    await held;
    expect(await answers(sql)).toBe("ok");
  });
});
