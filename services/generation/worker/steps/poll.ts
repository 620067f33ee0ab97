/** Step `poll`: asks the upstream for the state of its job; once the job is done, stores the result and decides. */
import { Code, ConnectError } from "@connectrpc/connect";
import { addMs } from "#runtime/clock.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { pollIntervalMs, postponedMs, progressOf } from "../../domain/waits.ts";
import type { Polled, Source } from "../../providers/provider.ts";
import { UpstreamError } from "../../providers/shared/outcome.ts";
import { withTimeout } from "../../providers/shared/http.ts";
import { cancelJob } from "../../upstreams/cancel-job.ts";
import { pausePolls } from "../../upstreams/pauses.ts";
import {
  decideCanceled,
  decideFailed,
  notConfigured,
  reschedule,
  type Deps,
  whenLate,
} from "./step.ts";
import { decideStored, storeOutput, storedSoFar } from "./store-output.ts";

const POLL_TIMEOUT_MS = 10_000;
/** For so long an upstream has to say that it does not know a job, before that is believed. */
const GONE_AFTER_MS = 60_000;
const POLL_GONE_AFTER_MS = 5_000;

type PollAnswer = Polled | { kind: "postponed"; retryAfterMs: number };

export async function poll(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const isLate = row.deadlineAt !== null && deps.clock.now() > row.deadlineAt;
  const polled = await pollUpstream(deps, row, signal)
    .catch(whenLate<PollAnswer>(isLate, { kind: "running", pollAfterMs: 0 }))
    .catch(whenAskedToWait(deps, row));
  switch (polled.kind) {
    case "postponed":
      return reschedule(deps, row, postponedMs(polled.retryAfterMs, deps.random()));
    case "running":
      return isLate ? giveUp(deps, row) : keepRunning(deps, row, polled);
    case "succeeded":
      return store(deps, row, polled.sources, isLate, signal);
    case "failed":
      return decideFailed(deps, row, polled.failure);
    case "stopped": {
      const current = await deps.find(row.accountId, row.id);
      return current?.cancelRequestedAt
        ? decideCanceled(deps, row)
        : decideFailed(deps, row, FAILURES.stopped);
    }
    case "gone":
      return isLate || isGone(deps, row)
        ? decideFailed(deps, row, FAILURES.resultGone)
        : reschedule(deps, row, POLL_GONE_AFTER_MS, {
            goneSince: row.goneSince ?? deps.clock.now(),
          });
  }
}

/** An upstream may not show a new job at once, and one of its replicas or a proxy may not know a job for a moment. */
function isGone({ clock }: Deps, { goneSince }: GenerationRow): boolean {
  return goneSince !== null && clock.now() >= addMs(goneSince, GONE_AFTER_MS);
}

function whenAskedToWait(deps: Deps, row: GenerationRow) {
  return async (error: unknown): Promise<PollAnswer> => {
    if (!(error instanceof UpstreamError) || error.retryAfterMs === undefined) throw error;
    const { retryAfterMs } = error;
    if (row.credential !== null) await pausePolls(deps, row.credential, retryAfterMs);
    return { kind: "postponed", retryAfterMs };
  };
}

async function pollUpstream(deps: Deps, row: GenerationRow, signal: AbortSignal): Promise<Polled> {
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  const upstreamId = row.upstreamId;
  if (!upstream || upstreamId === null) throw notConfigured(row);
  return withTimeout(deps.clock, POLL_TIMEOUT_MS, signal, (limit) =>
    upstream.provider.poll(upstreamId, limit),
  );
}

async function keepRunning(
  deps: Deps,
  row: GenerationRow,
  polled: Extract<Polled, { kind: "running" }>,
): Promise<undefined> {
  const ageMs = deps.clock.now().getTime() - (row.startedAt ?? row.createdAt).getTime();
  const typicalMs = await deps.typicalTimes.typicalMs(row.mode, row.model);
  const random = deps.random();
  const plannedMs = pollIntervalMs(row.kind, polled.pollAfterMs, ageMs, random);
  const afterMs = Math.max(plannedMs, postponedMs(polled.retryAfterMs ?? 0, random));
  const progress = progressOf(row.progress, polled.progress, ageMs, typicalMs);
  return reschedule(deps, row, afterMs, { progress, failures: 0, goneSince: null });
}

/** Fails a task that is past its deadline; its job is canceled if the upstream can do that. */
async function giveUp(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  if (upstream) {
    await cancelJob(deps.clock, upstream.provider, row.upstreamId ?? "").catch(() => undefined);
  }
  return decideFailed(deps, row, FAILURES.tookTooLong);
}

/** A copy that failed is retried with the next poll, unless the task is late or delivery refused the request. */
async function store(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  isLate: boolean,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const result = await storeOutput(deps, row, sources, signal).catch((error: unknown) => {
    const canRetry = !isLate && ConnectError.from(error).code !== Code.InvalidArgument;
    if (canRetry || signal.aborted) throw error;
    return storedSoFar(deps, row, FAILURES.notStorable);
  });
  return decideStored(deps, row, result);
}
