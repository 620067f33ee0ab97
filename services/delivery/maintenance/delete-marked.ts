/** Deletes the objects of outputs that are marked for deletion, then records that in their rows. */
import { addMs, type Clock } from "#runtime/clock.ts";
import type { DueWork } from "#runtime/due-loop.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import {
  claimAssetsToDelete,
  recordDeletionIfMarked,
  type AssetToDelete,
} from "../store/asset-deletions.ts";

const CONCURRENCY = 8;
const IDLE_MS = 5_000;
const LEASE_MS = 5 * 60_000;

/**
 * The work of a due loop (see startDueLoop). After a crash before the row is written, the objects are deleted again
 * when the lease ends, which has no effect.
 */
export function markedDeletion(deps: {
  sql: Sql;
  clock: Clock;
  store: ObjectStore;
}): DueWork<AssetToDelete> {
  const { sql, clock, store } = deps;
  return {
    name: "delete marked assets",
    concurrency: CONCURRENCY,
    idleMs: IDLE_MS,
    claim: (limit) => {
      const now = clock.now();
      return claimAssetsToDelete(sql, { now, leaseUntil: addMs(now, LEASE_MS), limit });
    },
    work: async (asset) => {
      if (asset.thumbnailKey !== null) await store.delete(asset.thumbnailKey);
      await store.delete(asset.key);
      await recordDeletionIfMarked(sql, asset, clock.now());
    },
  };
}
