/** Tells calls that wait in this process that a generation has ended. */

export type CompletionWaiters = {
  /** Resolves when `tell(id)` is called, or when `signal` aborts. */
  wait: (id: string, signal: AbortSignal) => Promise<void>;
  complete: (id: string) => void;
};

export function createCompletionWaiters(): CompletionWaiters {
  const waiting = new Map<string, Set<() => void>>();
  return {
    wait: (id, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const resolvers = waiting.get(id) ?? new Set();
        waiting.set(id, resolvers);
        const end = () => {
          signal.removeEventListener("abort", end);
          resolvers.delete(end);
          if (resolvers.size === 0) waiting.delete(id);
          resolve();
        };
        signal.addEventListener("abort", end, { once: true });
        resolvers.add(end);
        return undefined;
      }),
    complete: (id) => {
      for (const end of waiting.get(id) ?? []) end();
    },
  };
}
