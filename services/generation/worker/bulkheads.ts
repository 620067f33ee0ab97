/** Keeps an upstream that hangs from taking all of a process's slots: no credential has more than half of them. */
import type { GenerationRow } from "../domain/generation.ts";

export type Bulkheads = {
  /** Credentials that have all the slots they may have. */
  full: () => string[];
  /** Counts the row's credential while `work` runs. */
  within: <T>(row: Pick<GenerationRow, "credential">, work: () => Promise<T>) => Promise<T>;
};

export function createBulkheads(slots: number): Bulkheads {
  const most = Math.max(1, Math.floor(slots / 2));
  const taken = new Map<string, number>();
  const count = (credential: string, change: number) => {
    const now = (taken.get(credential) ?? 0) + change;
    if (now > 0) taken.set(credential, now);
    else taken.delete(credential);
  };
  return {
    full: () => [...taken].flatMap(([credential, now]) => (now >= most ? [credential] : [])),
    within: async ({ credential }, work) => {
      if (credential === null) return work();
      count(credential, 1);
      try {
        return await work();
      } finally {
        count(credential, -1);
      }
    },
  };
}
