/** What a worker takes up next: tasks whose turn for a place has come, and rows that are due. */
import type { Deps } from "../deps.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { claimDueGenerations } from "../store/steps.ts";
import { createClaimQueued } from "./slots.ts";

/** A worker that says nothing for this long has lost its row. */
export const LEASE_MS = 10_000;

/**
 * At most `limit` rows, leased to this worker; neither kind keeps the other from its share. Nothing is taken up for
 * credentials that are `full`.
 */
export function createClaimWork(
  deps: Deps,
  full: () => string[] = () => [],
): (limit: number) => Promise<GenerationRow[]> {
  const takeQueued = createClaimQueued(deps, full);
  return async (limit) => {
    const queued = await takeQueued(Math.ceil(limit / 2), LEASE_MS);
    const left = limit - queued.length;
    if (left <= 0) return queued;
    const due = await claimDueGenerations(deps.sql, deps.clock.now(), LEASE_MS, left, full());
    return [...queued, ...due];
  };
}
