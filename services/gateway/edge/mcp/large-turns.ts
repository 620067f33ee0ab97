/** Has each account work on one large body at a time. Those that wait are in memory, within what an account may hold. */
import type { ServerResponse } from "node:http";

/** Resolves with what ends the turn, which the end of the answer does too. */
export type TakeTurn = (accountId: string, answer: ServerResponse) => Promise<() => void>;

export function largeTurns(): TakeTurn {
  /** The end of each account's last turn. */
  const ends = new Map<string, Promise<void>>();
  return async (accountId, answer) => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const before = ends.get(accountId);
    const all = Promise.all([before, end]).then(() => {
      if (ends.get(accountId) === all) ends.delete(accountId);
    });
    ends.set(accountId, all);
    if (answer.destroyed) resolve();
    answer.once("close", resolve);
    await before;
    return resolve;
  };
}
