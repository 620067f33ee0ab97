/** Looks up a submit whose answer was lost; it is never sent again (docs/architecture.md, invariant 6). */
import type { Deps } from "./deps.ts";
import { submitBegunAt } from "../../domain/deadlines.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Found } from "../../providers/provider.ts";
import { findJob } from "../../upstreams/find-job.ts";
import {
  decideFailed,
  notConfigured,
  processingDeadlineOf,
  rescheduleAfterFailure,
  SUBMIT_UNKNOWN,
  whenLate,
} from "./step.ts";
import { resolveImage } from "./resolve-image.ts";
import { recordAccepted } from "./record-accepted.ts";

export async function resolveSubmit(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const isLate = deps.clock.now() > processingDeadlineOf(deps, row, submitBegunAt(row));
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  if (!upstream) {
    if (isLate) return decideFailed(deps, row, FAILURES.tookTooLong);
    throw notConfigured(row);
  }
  if (row.kind === "image" && upstream.provider.image) {
    if (!upstream.provider.findsImages) return resolveImage(deps, row, signal);
    const about = { generation_id: row.id, account_id: row.accountId };
    deps.log.info(about, "image call cut off: asking the upstream for its job");
  }
  const found = await findJob(deps, row, upstream, signal).catch(
    whenLate<Found>(isLate, { kind: "unknown" }),
  );
  if (found.kind === "found") return recordAccepted(deps, row, upstream, found.upstreamId);
  return isLate
    ? decideFailed(deps, row, FAILURES.tookTooLong)
    : rescheduleAfterFailure(deps, row, SUBMIT_UNKNOWN);
}
