/** Looks up a submit whose answer was lost; it is never sent again (docs/architecture.md, invariant 6). */
import type { Deps } from "./deps.ts";
import { submitBegunAt } from "../../domain/deadlines.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { findSubmit } from "../../store/submits.ts";
import { findLostSubmit, type LostSubmitState } from "../../upstreams/find-job.ts";
import type { Upstream } from "../../upstreams/index.ts";
import {
  decideFailed,
  NO_SLOT,
  notConfigured,
  processingDeadlineOf,
  reschedule,
  rescheduleAfterFailure,
  whenLate,
} from "./step.ts";
import { cancelUnlessNeeded } from "./cancel-unless-needed.ts";
import { resolveImage } from "./resolve-image.ts";
import { recordAccepted } from "./record-accepted.ts";

export async function resolveSubmit(
  deps: Deps,
  row: GenerationRow,
  token: string,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const isLate = deps.clock.now() > processingDeadlineOf(deps, row, submitBegunAt(row));
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  if (!upstream) {
    if (isLate) return decideFailed(deps, row, FAILURES.tookTooLong);
    throw notConfigured(row);
  }
  const known = await findSubmit(deps.sql, row.accountId, row.id, token);
  if (known) return recordAccepted(deps, row, upstream, known.upstreamId);
  if (row.kind === "image" && upstream.provider.image) {
    if (!upstream.provider.findsImages) return resolveImage(deps, row, signal);
    const about = { generation_id: row.id, account_id: row.accountId };
    deps.log.info(about, "image call cut off: asking the upstream for its job");
  }
  const found = await findLostSubmit(deps, row, upstream, signal).catch(
    whenLate<LostSubmitState>(isLate, { kind: "unknown" }),
  );
  switch (found.kind) {
    case "found":
      return recordAccepted(deps, row, upstream, found.upstreamId);
    case "absent":
      return submitAgain(deps, row, token, upstream);
    case "early":
      return reschedule(deps, row, found.afterMs);
    case "unknown":
      return isLate
        ? decideFailed(deps, row, FAILURES.tookTooLong)
        : rescheduleAfterFailure(deps, row);
  }
}

/** The job of a worker that was paused may have been recorded since it was looked for; it is not needed any more. */
async function submitAgain(
  deps: Deps,
  row: GenerationRow,
  token: string,
  upstream: Upstream,
): Promise<undefined> {
  await reschedule(deps, row, 0, { ...NO_SLOT, failures: row.failures + 1 });
  const late = await findSubmit(deps.sql, row.accountId, row.id, token);
  if (late) await cancelUnlessNeeded(deps, row, upstream, late.upstreamId);
}
