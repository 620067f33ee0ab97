/** Connections to Postgres: what a paused process can hold up, and that each has one user at a time. */
import { describe, expect, it } from "vitest";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { testDatabase } from "../../support/database.ts";

describe("a process that is paused within a transaction", () => {
  it("loses its locks to others", async () => {
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await testDatabase("generation"));
    const limits = { idleInTransaction: 1_000 };
    const connect = () => {
      const sql = connectPostgres({ url, maxConnections: 1, limits }, "test");
      stack.defer(() => sql.end({ timeout: 1 }));
      return sql;
    };
    const [paused, other] = [connect(), connect()];
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
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await testDatabase("generation"));
    const limits = { idleInTransaction: 1_000 };
    const sql = connectPostgres({ url, maxConnections: 2, limits }, "test");
    stack.defer(() => sql.end({ timeout: 1 }));
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
