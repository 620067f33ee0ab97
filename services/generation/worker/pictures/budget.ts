/** Divides a process's memory for pictures: limited in all and for each account; accounts that wait get it in turn. */

/** A part of the budget, given back when disposed. */
export type Share = Disposable & {
  /** Gives back what is not needed of it. */
  shrinkTo: (bytes: number) => void;
};

export type Budget = {
  /** Waits for so many bytes, at most an account's whole part. Rejects with the reason of `signal` if that aborts first. */
  reserve: (accountId: string, bytes: number, signal: AbortSignal) => Promise<Share>;
};

type Waiter = { bytes: number; grant: () => void };

export function createBudget(limits: { total: number; perAccount: number }): Budget {
  const held = new Map<string, number>();
  /** Who waits, by account; the accounts are in the order of their turns. */
  const waiting = new Map<string, Waiter[]>();
  let heldInAll = 0;

  const add = (accountId: string, bytes: number) => {
    heldInAll += bytes;
    const left = (held.get(accountId) ?? 0) + bytes;
    if (left > 0) held.set(accountId, left);
    else held.delete(accountId);
  };

  const keepWaiting = (accountId: string, waiters: Waiter[]) => {
    waiting.delete(accountId);
    if (waiters.length > 0) waiting.set(accountId, waiters);
  };

  const grantNext = () => {
    for (const [accountId, [first, ...others]] of waiting) {
      if (!first || (held.get(accountId) ?? 0) + first.bytes > limits.perAccount) continue;
      // It keeps its turn, or smaller requests would go before it for ever.
      if (heldInAll + first.bytes > limits.total) return;
      keepWaiting(accountId, others);
      add(accountId, first.bytes);
      first.grant();
    }
  };

  const shareOf = (accountId: string, reserved: number): Share => {
    let bytes = reserved;
    const shrinkTo = (to: number) => {
      add(accountId, Math.min(to, bytes) - bytes);
      bytes = Math.min(to, bytes);
      grantNext();
    };
    return { shrinkTo, [Symbol.dispose]: () => shrinkTo(0) };
  };

  return {
    reserve: (accountId, wanted, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const bytes = Math.min(wanted, limits.perAccount);
        const giveUp = () => {
          const waiters = waiting.get(accountId) ?? [];
          waiters.splice(waiters.indexOf(waiter), 1);
          if (waiters.length === 0) waiting.delete(accountId);
          reject(signal.reason as Error);
          grantNext();
        };
        const waiter: Waiter = {
          bytes,
          grant: () => {
            signal.removeEventListener("abort", giveUp);
            resolve(shareOf(accountId, bytes));
          },
        };
        signal.addEventListener("abort", giveUp, { once: true });
        waiting.set(accountId, [...(waiting.get(accountId) ?? []), waiter]);
        grantNext();
      }),
  };
}
