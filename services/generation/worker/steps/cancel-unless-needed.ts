/** Cancels an upstream job that was started for a task which goes on with another job, or ended without it. */
import type { Deps } from "./deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { cancelJob } from "../../upstreams/cancel-job.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";

const MAX_TRIES = 3;

/**
 * `row`: as it was when its submit was sent. The job must be in `submits` before this call: a worker that still looks
 * for the submit then finds it there.
 */
export async function cancelUnlessNeeded(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  upstreamId: string,
): Promise<undefined> {
  const current = await deps.find(row.accountId, row.id);
  if (!current || isNeeded(current, row.submitToken, upstreamId)) return;
  const isStopped = await cancelSurely(deps, upstream, upstreamId);
  // The job itself is in `submits`: its id may carry what was asked.
  const fields = { generation_id: row.id, account_id: row.accountId, upstream: upstream.name };
  if (isStopped) deps.log.warn(fields, "unneeded upstream job canceled");
  else deps.log.error({ ...fields, alert: true }, "unneeded upstream job could not be canceled");
}

function isNeeded(current: GenerationRow, token: string | null, upstreamId: string): boolean {
  if (current.settling !== null && current.settling !== "success") return false;
  if (current.upstreamId !== null) return current.upstreamId === upstreamId;
  return current.submitToken === token;
}

async function cancelSurely(deps: Deps, upstream: Upstream, upstreamId: string): Promise<boolean> {
  for (let failures = 0; failures < MAX_TRIES; failures++) {
    if (failures > 0) await deps.clock.sleep(backoffMs(failures, deps.random()));
    const answer = cancelJob(deps.clock, upstream.provider, upstreamId);
    const isStopped = await answer.catch(() => undefined);
    if (isStopped !== undefined) return isStopped;
  }
  return false;
}
