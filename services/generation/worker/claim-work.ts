/** Claims a worker's next rows: queued tasks that get a slot, and rows that are due. */
import type { Deps } from "./steps/deps.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { claimDueTasks, type DueLimits } from "../store/steps.ts";
import { UNLIMITED, type Shares } from "./slots/bulkheads.ts";
import { createClaimQueued, LEASE_MS } from "./slots/slots.ts";

/**
 * Claims at most `limit` rows for this worker. Queued tasks get at most half of them, so that due rows are always
 * claimed, and no credential gets more than its share.
 */
export function createClaimWork(
  deps: Deps,
  openShares: () => Shares = () => UNLIMITED,
): (limit: number) => Promise<GenerationRow[]> {
  const claimQueued = createClaimQueued(deps);
  return async (limit) => {
    const shares = openShares();
    const queued = await claimQueued(Math.ceil(limit / 2), shares);
    const left = limit - queued.length;
    const due =
      left <= 0 ? [] : await claimDue(deps, left, shares).catch(afterQueued(deps, queued));
    const taken = [...queued, ...due];
    if (taken.length > 0) {
      deps.noteTaken();
      deps.metrics.taken.inc(taken.length);
    }
    return taken;
  };
}

/** For `catch`: the rows that were taken out of their queues are leased to this worker, which has to begin with them. */
function afterQueued({ log }: Deps, queued: readonly GenerationRow[]): (error: unknown) => [] {
  return (error) => {
    if (queued.length === 0) throw error;
    log.warn({ err: error }, "due rows could not be claimed, retrying");
    return [];
  };
}

/** The statement limits each credential alone; together they may take more than their shares, which is given back. */
async function claimDue(deps: Deps, limit: number, shares: Shares): Promise<GenerationRow[]> {
  const limits = dueLimits(shares);
  const rows = await claimDueTasks(deps.sql, deps.clock.now(), LEASE_MS, limit, limits);
  const [kept, beyond]: [GenerationRow[], GenerationRow[]] = [[], []];
  for (const row of rows) {
    const { credential, step } = row;
    const isUpstreamWork = credential !== null && (step === "submit" || step === "poll");
    if (isUpstreamWork && shares.free(credential) < 1) beyond.push(row);
    else kept.push(row);
    if (isUpstreamWork) shares.take(credential, 1);
  }
  await Promise.all(beyond.map((row) => deps.writes.update(row, { leaseUntil: null })));
  return kept;
}

function dueLimits(shares: Shares): DueLimits {
  const credentials = shares.inWork();
  return {
    free: new Map(credentials.map((one) => [one, shares.free(one)])),
    ofOthers: shares.free(""),
  };
}
