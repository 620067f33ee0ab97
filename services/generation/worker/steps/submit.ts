/**
 * Steps `queue` and `submit`: a task waits for a slot, then is given to an upstream, with at most one job per task
 * (docs/architecture.md, invariant 6).
 */
import type { Deps } from "./deps.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { decideFailed, enqueue, NO_SLOT, queueDeadlineOf, reschedule } from "./step.ts";
import { writeKnown } from "./write-known.ts";
import { leaveUnknown } from "./leave-unknown.ts";
import { recordAccepted } from "./record-accepted.ts";
import { resolveSubmit } from "./resolve-submit.ts";
import { storeImage } from "./store-image.ts";
import { tryUpstreams, type Answered } from "./try-upstreams.ts";

/** Fails a task that has waited for a slot until its deadline. */
export async function queue(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  if (deps.clock.now() < queueDeadlineOf(deps, row)) return enqueue(deps, row);
  const failure = row.kind === "video" ? FAILURES.neverStarted : FAILURES.tookTooLong;
  return decideFailed(deps, row, failure);
}

export async function submit(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  if (row.submitToken !== null && !row.isUnsent) return resolveSubmit(deps, row, signal);
  const upstream = row.credential === null ? undefined : deps.upstreams.byName(row.upstream ?? "");
  if (!upstream) return enqueue(deps, row);
  const outcome = await tryUpstreams(deps, row, upstream, signal);
  switch (outcome.kind) {
    case "answered":
      return handleAnswer(deps, outcome, signal);
    case "unreadable":
      return decideFailed(deps, row, outcome.failure);
    case "late":
      return enqueue(deps, outcome.row);
    case "not taken": {
      const change = { ...NO_SLOT, failures: row.failures + 1 };
      return writeKnown(deps, row, signal, () =>
        reschedule(deps, outcome.row, outcome.pauseMs, change),
      );
    }
    case "lost":
      return undefined;
  }
}

function handleAnswer(
  deps: Deps,
  { row, upstream, answer }: Answered,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  switch (answer.kind) {
    case "accepted":
      return recordAccepted(deps, row, upstream, answer.upstreamId);
    case "refused":
    case "failed":
      return writeKnown(deps, row, signal, () => decideFailed(deps, row, answer.failure));
    case "succeeded":
      return storeImage(deps, row, answer.sources);
    case "unknown":
      return leaveUnknown(deps, row, upstream);
  }
}
