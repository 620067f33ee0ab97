/** Limits each credential's part of a process's slots, so that upstreams that hang never occupy all of them. */
import type { GenerationRow } from "../../domain/generation.ts";

/** What one claim may take of each credential. */
export type Shares = {
  /** How many more rows of the credential may be taken. */
  free: (credential: string) => number;
  /** Counts rows that were taken; a negative count gives them back. */
  take: (credential: string, count: number) => void;
  /** The credentials that have rows in work. */
  inWork: () => string[];
};

export type Bulkheads = {
  shares: () => Shares;
  /** Counts the row for its credential while `work` runs. */
  within: <T>(row: Pick<GenerationRow, "credential">, work: () => Promise<T>) => Promise<T>;
};

/** Below this part of its limit a credential is full: it gets several rows at once, so that others are claimed between. */
const MIN_FREE_PART = 1 / 8;

export const UNLIMITED: Shares = { free: () => Infinity, take: () => {}, inWork: () => [] };

/**
 * A credential may have half of the slots that the others leave: one alone has half of them, and each of `n` that hang
 * has one part of `n + 1`, so that one part is left. `concurrency`: how many rows the process works on at the same time.
 */
export function createBulkheads(concurrency: number): Bulkheads {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    shares: () => sharesOf(concurrency, new Map(counts), total),
    within: async ({ credential }, work) => {
      const add = (change: number) => {
        total += change;
        if (credential !== null) addTo(counts, credential, change);
      };
      add(1);
      try {
        return await work();
      } finally {
        add(-1);
      }
    },
  };
}

function sharesOf(concurrency: number, counts: Map<string, number>, totalBefore: number): Shares {
  let total = totalBefore;
  const countOf = (credential: string) => counts.get(credential) ?? 0;
  const limitOf = (credential: string) =>
    Math.max(1, Math.floor((concurrency - (total - countOf(credential))) / 2));
  const freeOf = (credential: string) => Math.max(limitOf(credential) - countOf(credential), 0);
  const isFull = (credential: string) => freeOf(credential) < limitOf(credential) * MIN_FREE_PART;
  const full = new Set([...counts.keys()].filter(isFull));
  return {
    free: (credential) => (full.has(credential) ? 0 : freeOf(credential)),
    take: (credential, count) => {
      total += count;
      addTo(counts, credential, count);
    },
    inWork: () => [...counts.keys()],
  };
}

function addTo(counts: Map<string, number>, credential: string, change: number): void {
  const count = (counts.get(credential) ?? 0) + change;
  if (count > 0) counts.set(credential, count);
  else counts.delete(credential);
}
