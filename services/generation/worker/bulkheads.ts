/** Limits each credential to half of a process's slots, so that an upstream that hangs does not occupy all of them. */
import type { GenerationRow } from "../domain/generation.ts";

export type Bulkheads = {
  /** The credentials that have as many rows in work as they may have. */
  full: () => string[];
  /** Counts the row for its credential while `work` runs. */
  within: <T>(row: Pick<GenerationRow, "credential">, work: () => Promise<T>) => Promise<T>;
};

/** `concurrency`: how many rows the process works on at the same time. */
export function createBulkheads(concurrency: number): Bulkheads {
  const limit = Math.max(1, Math.floor(concurrency / 2));
  const inWork = new Map<string, number>();
  const add = (credential: string, change: number) => {
    const count = (inWork.get(credential) ?? 0) + change;
    if (count > 0) inWork.set(credential, count);
    else inWork.delete(credential);
  };
  return {
    full: () => [...inWork].flatMap(([credential, count]) => (count >= limit ? [credential] : [])),
    within: async ({ credential }, work) => {
      if (credential === null) return work();
      add(credential, 1);
      try {
        return await work();
      } finally {
        add(credential, -1);
      }
    },
  };
}
