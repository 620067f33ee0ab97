/** Accounts that keep something for a limited number of days. */
import { DatabaseUnavailable } from "#runtime/postgres/limits.ts";
import { forEachRetention } from "#runtime/postgres/retention.ts";
import { manualClock } from "../../support/manual-clock.ts";

const accounts = ["a", "b", "c"].map((accountId) => ({ accountId, days: 1 }));

/** Goes through all accounts where `error` is thrown for "b". */
async function run(error: Error) {
  const removed: string[] = [];
  const remove = async (accountId: string) => {
    if (accountId === "b") throw error;
    removed.push(accountId);
  };
  const outcome = await forEachRetention(manualClock(), accounts, remove).catch(
    (thrown: unknown) => thrown,
  );
  return { removed, outcome };
}

it("are gone through although one of them fails, which is told at the end", async () => {
  const error = new Error("a fault");
  const { removed, outcome } = await run(error);
  expect(removed).toEqual(["a", "c"]);
  expect(outcome).toMatchObject({ errors: [error] });
});

it("are left for the next turn where Postgres is unavailable", async () => {
  const error = new DatabaseUnavailable("gone");
  const { removed, outcome } = await run(error);
  expect(removed).toEqual(["a"]);
  expect(outcome).toBe(error);
});
