/** Marks assets for deletion that have expired, or are older than their account's retention. */
import type { Clock } from "#runtime/clock.ts";
import { forEachRetention } from "#runtime/postgres/retention.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import {
  markExpiredForDeletion,
  markOlderForDeletion,
  type Limits,
  type Usage,
} from "../store/asset-deletions.ts";
import { listLimitedRetentions } from "../store/account-storage.ts";

const OUTPUTS_PER_STATEMENT = 1_000;

type ExpireDeps = { sql: Sql; clock: Clock };

/** Looks once at all assets with an end, and at all accounts with a limited retention; returns early on abort. */
export async function markExpired(deps: ExpireDeps, signal?: AbortSignal): Promise<void> {
  await markAll(deps, (limits) => markExpiredForDeletion(deps.sql, limits), signal);
  const list = (after: string, limit: number) => listLimitedRetentions(deps.sql, after, limit);
  await forEachRetention(
    { clock: deps.clock, list },
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
