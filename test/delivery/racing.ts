/** A call that waits for a transaction, for tests that make a race certain. */
import { expect } from "vitest";
import type { Sql, Transaction } from "#runtime/postgres/connect.ts";
import { waitingSessions } from "../support/waiting-sessions.ts";

/** Makes the call when `hold` has locked something that it needs, commits once it waits, and resolves with its answer. */
export async function racing<T>(
  sql: Sql,
  hold: (tx: Transaction) => Promise<unknown>,
  call: () => Promise<T>,
): Promise<T> {
  const held = await sql.begin(async (tx) => {
    await hold(tx);
    const answer = call();
    await expect.poll(() => waitingSessions(sql)).toBe(1);
    // In an object: the transaction would wait for a promise that it returns.
    return { answer };
  });
  return held.answer;
}
