/** A submit that was begun before and whose outcome is not known: it is looked for, never sent again. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { processingDeadline, submitBegunAt } from "../../domain/deadlines.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { jobOf } from "../../domain/job.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import { SENT_WITHIN_MS } from "../../providers/shared/http.ts";
import type { Upstream } from "../../upstreams/index.ts";
import type { Found } from "../../providers/provider.ts";
import { findSubmit } from "../../store/submits.ts";
import { decideFailed, reschedule, rescheduleAfterFailure, NO_SLOT } from "../step.ts";
import { accepted } from "./accepted.ts";

export const SUBMIT_TIMEOUT_MS = 15_000;
const FIND_TIMEOUT_MS = 15_000;
/** A submit may be on its way for this long (its last byte takes a second), so that until then "absent" is not certain. */
const ON_ITS_WAY_MS = SUBMIT_TIMEOUT_MS + SENT_WITHIN_MS + 1_000;

export async function resume(
  deps: Deps,
  row: GenerationRow,
  token: string,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const sentAt = submitBegunAt(row);
  const deadlines = deps.catalog.deadlines(row.kind, row.model);
  const isLate = deps.clock.now() > processingDeadline(row, deadlines, sentAt);
  const route = deps.upstreams.byName(row.provider ?? "");
  if (!route) {
    if (isLate) return decideFailed(deps, row, FAILURES.tookTooLong);
    throw new Error(`route ${row.provider ?? "(none)"} is not configured any more`);
  }
  const known = await findSubmit(deps.sql, row.account_id, row.id, token);
  if (known) return accepted(deps, row, route, known.upstream_id);
  // NOTE: an answer that a crash cut off cannot be asked for again, and asking anew could make a second picture.
  if (row.kind === "image" && route.provider.image) {
    return decideFailed(deps, row, FAILURES.cutOff);
  }
  const found = await findLost(deps, row, route, signal).catch((error: unknown): Lost => {
    if (!isLate) throw error;
    return { kind: "unknown" };
  });
  switch (found.kind) {
    case "found":
      return accepted(deps, row, route, found.upstreamId);
    case "absent":
      return reschedule(deps, row, 0, { ...NO_SLOT, failures: row.failures + 1 });
    case "early":
      return reschedule(deps, row, found.afterMs);
    case "unknown":
      return isLate
        ? decideFailed(deps, row, FAILURES.tookTooLong)
        : rescheduleAfterFailure(deps, row);
  }
}

/** `early`: the upstream does not know it yet; what it says after `afterMs` is certain. */
export type Lost = Found | { kind: "early"; afterMs: number };

/** What the upstream knows of the submit that the row's intent speaks of. */
export async function findLost(
  deps: Deps,
  row: GenerationRow,
  route: Upstream,
  signal: AbortSignal,
): Promise<Lost> {
  const sentAt = submitBegunAt(row);
  const job = jobOf(row, row.submit_token ?? "", deps.catalog, route);
  const found = await withTimeout(deps.clock, FIND_TIMEOUT_MS, signal, (limit) =>
    route.provider.find({ job, sentAt }, limit),
  );
  const afterMs = addMs(sentAt, ON_ITS_WAY_MS).getTime() - deps.clock.now().getTime();
  return found.kind === "absent" && afterMs > 0 ? { kind: "early", afterMs } : found;
}
