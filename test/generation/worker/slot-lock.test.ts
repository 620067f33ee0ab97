/** The lock under which slots are assigned is not held for ever. */
import { describe, expect, it } from "vitest";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { lockSlots } from "../../../services/generation/store/slots.ts";
import { testDatabase } from "../../support/database.ts";

describe("a worker that is paused in the middle of a statement", () => {
  it("does not keep the others from assigning slots", async () => {
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await testDatabase("generation"));
    const connect = () => {
      const sql = connectPostgres({ url, maxConnections: 1 }, "test");
      stack.defer(() => sql.end({ timeout: 1 }));
      return sql;
    };
    const [paused, other] = [connect(), connect()];
    const locked = Promise.withResolvers<void>();
    const ended = paused
      .begin(async (tx) => {
        await lockSlots(tx);
        locked.resolve();
        // To Postgres, a client that stops between two messages of one statement looks just as busy.
        await tx`select pg_sleep(25)`;
      })
      .then(
        () => "committed",
        () => "cut off",
      );
    await locked.promise;
    await other.begin((tx) => lockSlots(tx));
    expect(await ended).toBe("cut off");
  });
});
