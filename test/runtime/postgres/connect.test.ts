/** Connections to Postgres: what a paused process can hold up, and that each has one user at a time. */
import { afterAll, describe, expect, it } from "vitest";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { testDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";

const database = forTests(() => testDatabase("generation"));
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

function connect(maxConnections: number) {
  const limits = { idleInTransaction: 1_000 };
  const sql = connectPostgres({ url: database.url, maxConnections, limits }, "test");
  stack.defer(() => sql.end({ timeout: 1 }));
  return sql;
}

describe("a process that is paused within a transaction", () => {
  it("loses its locks to others", async () => {
    const [paused, other] = [connect(1), connect(1)];
    const locked = Promise.withResolvers<void>();
    const woken = Promise.withResolvers<void>();
    const ended = paused
      .begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(1)`;
        locked.resolve();
        await woken.promise;
        await tx`select 1`;
      })
      .then(
        () => "committed",
        () => "ended by the server",
      );
    await locked.promise;
    await other`select pg_advisory_xact_lock(1)`;
    woken.resolve();
    expect(await ended).toBe("ended by the server");
  });
});

describe("a statement that cannot be sent", () => {
  it("gives its connection back once", async () => {
    const sql = connect(2);
    const never = new Date(Number.NaN);
    await expect(sql`select ${never}::timestamptz`).rejects.toThrow("Invalid time value");
    await sql`select 1`;
    await sql.begin(async (tx) => {
      const [mine] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const [other] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      expect(other?.pid).not.toBe(mine?.pid);
    });
  });
});

describe("a statement that was planned when its table was empty", () => {
  it("finds its rows by their key when the table has grown", async () => {
    const sql = connect(1);
    await sql.begin(async (tx) => {
      await tx`create temporary table items (id integer primary key, value integer)`;
      const readRows = async () => {
        const [row] = await tx<{ rows: bigint }[]>`
          select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relid = 'items'::regclass`;
        return row?.rows ?? 0n;
      };
      const change = (id: number) => tx`
        update items set value = changed.value
        from jsonb_to_recordset(${sql.json([{ id, value: 1 }])}) as changed (id integer, value integer)
        where items.id = changed.id`;
      // After five executions Postgres may keep a plan.
      for (let id = 0; id < 6; id += 1) await change(id);
      await tx`insert into items select generate_series(1, 10000), 0`;
      const before = await readRows();
      for (let id = 1; id <= 6; id += 1) await change(id);
      expect((await readRows()) - before).toBe(6n);
    });
  });
});
