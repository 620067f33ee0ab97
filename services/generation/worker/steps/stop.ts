/** Stops the upstream job of a video that was canceled while its submit was under way. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { updateGenerationIfHeld } from "../../store/steps.ts";
import { findSubmit } from "../../store/submits.ts";
import { later, lostSubmitOf } from "../step.ts";

const TRY_FOR_MS = 20 * 60 * 1000;

export async function stop(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<undefined> {
  const route = deps.providers.named(row.provider ?? "");
  const token = row.submit_token ?? "";
  const isOver = deps.clock.now() > addMs(row.completed_at ?? row.created_at, TRY_FOR_MS);
  if (route && !isOver) {
    const known = await findSubmit(deps.sql, row.account_id, row.id, token);
    const found = known
      ? { kind: "found" as const, upstreamId: known.upstream_id }
      : await route.provider.find(lostSubmitOf(deps, row, route), signal);
    if (found.kind === "found") await route.provider.cancel(found.upstreamId, signal);
    if (found.kind === "unknown") {
      const pauseMs = backoffMs(row.failures, deps.random());
      return later(deps, row, pauseMs, { failures: row.failures + 1 });
    }
  }
  await updateGenerationIfHeld(deps.sql, row, {
    step: "done",
    next_step_at: null,
    lease_until: null,
  });
}
