/** Starts maintenance of stored files: expiry, deletion, and the clean-up after crashes. */
import { DAY_MS, HOUR_MS, MINUTE_MS, addMs } from "#runtime/clock.ts";
import { startDueLoop, type DueWork, type PeriodicJob, startPeriodicJobs } from "#runtime/loops.ts";
import { forEachRetention } from "#runtime/postgres/retention.ts";
import { removeFilesBefore } from "../storage/filesystem.ts";
import {
  claimAssetsToDelete,
  deleteEndedGenerations,
  markExpiredForDeletion,
  markOlderForDeletion,
  recordDeletionIfMarked,
  type AssetToDelete,
  type Limits,
  type Usage,
} from "../store/asset-deletions.ts";
import { listLimitedRetentions } from "../store/account-storage.ts";
import { type SweepDeps, sweepUnreferenced } from "./sweep-unreferenced.ts";

const ENDED_PER_STATEMENT = 5_000;

export type MaintenanceDeps = SweepDeps & {
  /** The folder with the temporary files of copies. */
  copyDirectory: string;
};

/** Every process of the service runs all of it; two processes can do the same work at once without harm. */
export function startMaintenance(deps: MaintenanceDeps): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  stack.use(startDueLoop(markedDeletion(deps), deps));
  stack.use(startPeriodicJobs(maintenanceJobs(deps), deps));
  return stack;
}

export function maintenanceJobs(deps: MaintenanceDeps): PeriodicJob[] {
  const ago = (ms: number): Date => addMs(deps.clock.now(), -ms);
  return [
    {
      name: "mark expired assets",
      firstAfterMs: MINUTE_MS,
      everyMs: HOUR_MS,
      run: (signal) => markExpired(deps, signal),
    },
    {
      name: "forget ended generations",
      everyMs: HOUR_MS,
      run: async (signal) => {
        const before = ago(7 * DAY_MS);
        const forget = () => deleteEndedGenerations(deps.sql, before, ENDED_PER_STATEMENT);
        while (!signal.aborted && (await forget()));
      },
    },
    {
      name: "remove old temporary files",
      firstAfterMs: 0,
      everyMs: 10 * MINUTE_MS,
      run: async () => {
        await removeFilesBefore(deps.copyDirectory, ago(HOUR_MS));
        await deps.store.removeUnfinished?.(ago(DAY_MS));
      },
    },
    {
      name: "sweep unreferenced objects",
      firstAfterMs: 10 * MINUTE_MS,
      everyMs: DAY_MS,
      run: async (signal) => {
        const deleted = await sweepUnreferenced(deps, signal);
        if (deleted > 0) deps.log.info({ deleted }, "unreferenced objects deleted");
      },
    },
  ];
}

const LEASE_MS = 5 * MINUTE_MS;

/** After a crash before the row is written, the objects are deleted again, which has no effect. */
export function markedDeletion(
  deps: Pick<MaintenanceDeps, "sql" | "clock" | "store">,
): DueWork<AssetToDelete> {
  const { sql, clock, store } = deps;
  return {
    name: "delete marked assets",
    concurrency: 8,
    idleMs: 1_000,
    claim: (limit) => {
      const now = clock.now();
      return claimAssetsToDelete(sql, { now, leaseUntil: addMs(now, LEASE_MS), limit });
    },
    work: async ({ token, key, thumbnailKey }) => {
      if (thumbnailKey !== null) await store.delete(thumbnailKey);
      await store.delete(key);
      await recordDeletionIfMarked(sql, token, clock.now());
    },
  };
}

const OUTPUTS_PER_STATEMENT = 1_000;

type ExpireDeps = Pick<MaintenanceDeps, "sql" | "clock">;

/** Looks once at all assets with an end, and at all accounts with a limited retention; returns early on abort. */
export async function markExpired(deps: ExpireDeps, signal?: AbortSignal): Promise<void> {
  await markAll(deps, (limits) => markExpiredForDeletion(deps.sql, limits), signal);
  await forEachRetention(
    deps.clock,
    await listLimitedRetentions(deps.sql),
    (accountId, storedBefore) => markAllOlderForDeletion(deps, { accountId, storedBefore }, signal),
    signal,
  );
}

export function markAllOlderForDeletion(
  deps: ExpireDeps,
  older: { accountId: string; storedBefore: Date },
  signal?: AbortSignal,
): Promise<Usage> {
  return markAll(deps, (limits) => markOlderForDeletion(deps.sql, { ...older, ...limits }), signal);
}

/** A limited number of rows in a statement; returns early when `signal` aborts. */
async function markAll(
  { clock }: ExpireDeps,
  markSome: (limits: Limits) => Promise<Usage>,
  signal?: AbortSignal,
): Promise<Usage> {
  const total = { outputs: 0n, bytes: 0n };
  while (!signal?.aborted) {
    const marked = await markSome({ at: clock.now(), limit: OUTPUTS_PER_STATEMENT });
    total.outputs += marked.outputs;
    total.bytes += marked.bytes;
    if (marked.outputs < OUTPUTS_PER_STATEMENT) break;
  }
  return total;
}
