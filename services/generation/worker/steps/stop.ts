/** Stops the upstream job of a video that was canceled while its submit was under way. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import { findSubmit } from "../../store/submits.ts";
import { reschedule, rescheduleAfterFailure } from "../step.ts";
import { findLost } from "./resume.ts";

const TRY_FOR_MS = 20 * 60 * 1000;
const CANCEL_TIMEOUT_MS = 10_000;

export async function stop(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<undefined> {
  const route = deps.upstreams.byName(row.provider ?? "");
  const isOver = deps.clock.now() > addMs(row.completed_at ?? row.created_at, TRY_FOR_MS);
  if (route && !isOver) {
    const known = await findSubmit(deps.sql, row.account_id, row.id, row.submit_token ?? "");
    const found = known
      ? { kind: "found" as const, upstreamId: known.upstream_id }
      : await findLost(deps, row, route, signal);
    if (found.kind === "unknown") return rescheduleAfterFailure(deps, row);
    if (found.kind === "early") return reschedule(deps, row, found.afterMs);
    if (found.kind === "found") {
      await withTimeout(deps.clock, CANCEL_TIMEOUT_MS, signal, (limit) =>
        route.provider.cancel(found.upstreamId, limit),
      );
    }
  }
  await deps.writes.update(row, {
    step: "done",
    next_step_at: null,
    lease_until: null,
  });
}
