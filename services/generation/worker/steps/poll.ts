/** Step `poll`: asks the upstream for the state of its job; once the job is done, stores the result and decides. */
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { kindOf, modeOf } from "#vocabulary/names.ts";
import { FAILURES } from "../../domain/failures.ts";
import { inputFromJson, logFields, type GenerationRow } from "../../domain/generation.ts";
import { outputsAsked } from "../../domain/plan.ts";
import { pollIntervalMs, postponedMs, progressOf } from "../../domain/waits.ts";
import type { Polled, Source } from "../../providers/provider.ts";
import { withTimeout } from "../../providers/shared/http.ts";
import { UpstreamError } from "../../providers/shared/outcome.ts";
import { cancelJob } from "../../upstreams/jobs.ts";
import {
  decideCanceled,
  decideFailed,
  decideSuccess,
  notConfigured,
  repeat,
  reschedule,
  rescheduleAfterFailure,
  type Deps,
  type StepRunner,
} from "./step.ts";

const POLL_TIMEOUT_MS = 10_000;
/** For so long an upstream has to say that it does not know a job or its file, before that is believed. */
const GONE_AFTER_MS = 60_000;
const POLL_GONE_AFTER_MS = 5_000;

type PollAnswer = Polled | { kind: "postponed"; retryAfterMs: number };

export const poll: StepRunner = async (deps, row, signal) => {
  const isLate = row.deadlineAt !== null && deps.clock.now() > row.deadlineAt;
  const polled = await pollUpstream(deps, row, signal).catch((error: unknown): PollAnswer => {
    if (isLate) return { kind: "running", pollAfterMs: 0 };
    if (!(error instanceof UpstreamError) || error.retryAfterMs === undefined) throw error;
    return { kind: "postponed", retryAfterMs: error.retryAfterMs };
  });
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
      return lookAgain(deps, row, isLate, "job");
  }
};

/** An upstream, one of its replicas or a proxy may not know a job or its file for a moment, above all a new one. */
async function lookAgain(deps: Deps, row: GenerationRow, isLate: boolean, what: "job" | "file") {
  const lastError = `the upstream does not know the ${what}`;
  const now = deps.clock.now();
  const goneSince = (row.lastError === lastError && row.goneSince) || now;
  return isLate || now >= addMs(goneSince, GONE_AFTER_MS)
    ? decideFailed(deps, row, FAILURES.resultGone)
    : reschedule(deps, row, POLL_GONE_AFTER_MS, { goneSince, lastError, failures: 1 });
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
  const now = deps.clock.now();
  const ageMs = now.getTime() - (row.startedAt ?? row.createdAt).getTime();
  const typicalMs = await deps.typicalTimes.knownMs(row.mode, row.model);
  const random = deps.random();
  const plannedMs = pollIntervalMs(row.kind, polled.pollAfterMs, ageMs, random, now);
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

/** Writes the outcome of a copy, and apart from it: a write that fails is not taken for a failed copy. */
type Decide = () => Promise<GenerationRow | undefined>;

/** A copy that failed is retried with the next poll, unless the task is late or delivery refused the request. */
async function store(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  isLate: boolean,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const decide = await storeOutput(deps, row, sources, signal).catch((error: unknown) => {
    if (isFileGone(error)) return () => lookAgain(deps, row, isLate, "file");
    if ((!isLate && !isRefused(error)) || signal.aborted) throw error;
    return storedSoFar(deps, row);
  });
  return decide();
}

const isFileGone = (error: unknown) => reasonOf(error) === ErrorReason.SOURCE_GONE;
const isRefused = (error: unknown) => ConnectError.from(error).code === Code.InvalidArgument;

/** Stores as many of the sources as the request asks for. Throws if a copy failed and can be tried again. */
async function storeOutput(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<Decide> {
  const request = {
    accountId: row.accountId,
    generationId: row.id,
    kind: kindOf(row.kind),
    mode: modeOf(row.mode),
    sources: sources.slice(0, outputsAsked(inputFromJson(row.kind, row.input))).map((source) =>
      "url" in source
        ? {
            from: { case: "url" as const, value: source.url },
            configuredOrigin: source.configuredOrigin,
            headers: { ...source.headers },
          }
        : { from: { case: "content" as const, value: source.content } },
    ),
  };
  const { output } = await deps.delivery.storeOutput(request, { signal });
  return () => decideSuccess(deps, row, output);
}

/** For a generation whose other outputs can be had no more. */
async function storedSoFar(deps: Deps, row: GenerationRow): Promise<Decide> {
  const { accountId, id: generationId } = row;
  const { output } = await deps.delivery.findOutput({ accountId, generationId });
  return output.length > 0
    ? () => decideSuccess(deps, row, output)
    : () => decideFailed(deps, row, FAILURES.notStorable);
}

/** Stores an image that came within the call, and decides. Only this process has it: a lost row ends no tries. */
export async function storeImage(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
): Promise<GenerationRow | undefined> {
  const deadline = deps.catalog.processingDeadline(row, deps.clock.now());
  const isOver = (error: unknown, pauseMs: number) =>
    isFileGone(error) || isRefused(error) || addMs(deps.clock.now(), pauseMs) >= deadline;
  const copy = () => storeOutput(deps, row, sources, deps.deadline);
  const copied = repeat(deps, row, deps.deadline, isOver, copy);
  const decide = await copied.catch((error: unknown) => {
    if (isFileGone(error)) return () => decideFailed(deps, row, FAILURES.resultGone);
    if (deps.deadline.aborted) throw error;
    return storedSoFar(deps, row);
  });
  return decide();
}

const LOOK_AGAIN_AFTER_MS = 1_000;
/** A worker that was only paused, or cut off, may still come with its answer. */
const WAIT_FOR_WORKER_MS = 30_000;

/**
 * Ends an image whose call by another worker was cut off: with what delivery has stored of it, or as a failure.
 * The answer of an image call cannot be read again, and a second call could make a second image. But a worker that comes
 * back has its answer stored, and a copy goes on without the worker that asked for it.
 */
export const resolveImage: StepRunner = async (deps, row, signal) => {
  const address = { accountId: row.accountId, generationId: row.id };
  const found = await deps.delivery.findOutput(address, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  const now = deps.clock.now();
  const goneSince = row.goneSince ?? now;
  const isLate = now > deps.catalog.processingDeadline(row, now);
  const noCopyRuns = found?.missing === 0 || found?.copying === 0;
  const isOver = isLate || (noCopyRuns && now >= addMs(goneSince, WAIT_FOR_WORKER_MS));
  if (found && found.output.length > 0 && (isOver || found.missing === 0)) {
    const what = found.missing === 0 ? "its copy was found" : "some of its copies were found";
    deps.log.info(logFields(row), `image call cut off: ${what}`);
    return decideSuccess(deps, row, found.output);
  }
  if (isOver) {
    const reason = isLate ? "late" : found?.missing ? "copy not finished" : "nothing stored";
    deps.log.warn({ ...logFields(row), reason }, "image call cut off: nothing was found");
    return decideFailed(deps, row, FAILURES.interrupted);
  }
  return found
    ? reschedule(deps, row, LOOK_AGAIN_AFTER_MS, { goneSince })
    : rescheduleAfterFailure(deps, row, "delivery did not say what is stored", { goneSince });
};
