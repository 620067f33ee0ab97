/** An upstream has a job of this task: word of it is kept, and the polls begin. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { processingDeadline } from "../../domain/deadlines.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import type { Upstream } from "../../upstreams/index.ts";
import { findGeneration } from "../../store/generations.ts";

const FIRST_POLL_MS = 500;
const CANCEL_TIMEOUT_MS = 15_000;

export async function accepted(
  deps: Deps,
  row: GenerationRow,
  route: Upstream,
  upstreamId: string,
): Promise<undefined> {
  const now = deps.clock.now();
  const submitted = {
    account_id: row.account_id,
    generation_id: row.id,
    submit_token: row.submit_token ?? "",
    credential: route.credential,
    upstream_id: upstreamId,
    created_at: now,
  };
  await deps.writes.insertSubmit(submitted);
  const deadlines = deps.catalog.deadlines(row.kind, row.model);
  const started = await deps.writes.update(row, {
    step: "poll",
    status: "processing",
    upstream_id: upstreamId,
    failures: 0,
    started_at: row.started_at ?? now,
    deadline_at: processingDeadline(row, deadlines, now),
    next_step_at: addMs(now, FIRST_POLL_MS),
    lease_until: null,
  });
  if (started) return;
  const current = await findGeneration(deps.sql, row.account_id, row.id);
  if (!current || current.settling === null || current.settling === "success") return;
  const never = new AbortController().signal;
  await withTimeout(deps.clock, CANCEL_TIMEOUT_MS, never, (limit) =>
    route.provider.cancel(upstreamId, limit),
  );
}
