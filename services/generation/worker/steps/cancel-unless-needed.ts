/** Cancels an upstream job that was started for a task which goes on with another job, or ended without it. */
import type { Deps } from "./deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { cancelJob } from "../../upstreams/cancel-job.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";

const MAX_TRIES = 3;

/** `row`: as it was when its submit was sent. Its job could not be recorded: it has one already, or is gone. */
export async function cancelUnlessNeeded(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  upstreamId: string,
): Promise<undefined> {
  const current = await deps.find(row.accountId, row.id);
  if (!current || isNeeded(current, upstreamId)) return;
  const isStopped = await cancelSurely(deps, upstream, upstreamId);
  // Without the job's id, which may carry what was asked.
  const fields = { generation_id: row.id, account_id: row.accountId, upstream: upstream.name };
  if (isStopped) deps.log.warn(fields, "unneeded upstream job canceled");
  else deps.log.error({ ...fields, alert: true }, "unneeded upstream job could not be canceled");
}

function isNeeded(current: GenerationRow, upstreamId: string): boolean {
  const isLost = current.settling !== null && current.settling !== "success";
  return !isLost && current.upstreamId === upstreamId;
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
