/** Claims a worker's next rows: queued tasks that get a slot, and rows that are due. */
import type { Deps } from "../deps.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { claimDueGenerations } from "../store/steps.ts";
import { createClaimQueued } from "./slots.ts";

/** A worker that does not renew its lease within this time loses the row. */
export const LEASE_MS = 10_000;

/**
 * Claims at most `limit` rows for this worker. Queued tasks get at most half of them, so that due rows are always
 * claimed. Nothing is claimed for the credentials that are `full`.
 */
export function createClaimWork(
  deps: Deps,
  full: () => string[] = () => [],
): (limit: number) => Promise<GenerationRow[]> {
  const claimQueued = createClaimQueued(deps, full);
  return async (limit) => {
    const queued = await claimQueued(Math.ceil(limit / 2), LEASE_MS);
    const left = limit - queued.length;
    if (left <= 0) return queued;
    const due = await claimDueGenerations(deps.sql, deps.clock.now(), LEASE_MS, left, full());
    return [...queued, ...due];
  };
}
