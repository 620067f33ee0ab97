/** Steps `queue` and `submit`: at most one upstream job per task (docs/architecture.md, invariant 6). */
import { addMs } from "#runtime/clock.ts";
import { backoffMs, pauseOf, submitBegunAt } from "../../domain/waits.ts";
import { lackOf } from "../../domain/capabilities.ts";
import { FAILURES } from "../../domain/failures.ts";
import { begun, inputFromJson, logFields, type GenerationRow } from "../../domain/generation.ts";
import { frameOf, jobOf, submitTokenOf, type Job } from "../../domain/job.ts";
import { isVideo } from "../../domain/plan.ts";
import type { Imaged, Picture, Submitted } from "../../providers/provider.ts";
import { withTimeout } from "../../providers/shared/http.ts";
import { SUBMIT_TIMEOUT_MS, cancelJob, findJob } from "../../upstreams/jobs.ts";
import { noteSubmit } from "../../upstreams/pauses.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import type { Fetched, TaskPictures } from "./pictures.ts";
import { moveToOther } from "./slots.ts";
import {
  NO_SLOT,
  SUBMIT_UNKNOWN,
  decideFailed,
  enqueue,
  notConfigured,
  reschedule,
  rescheduleAfterFailure,
  type Deps,
  type StepRunner,
  writeKnown,
} from "./step.ts";
import { resolveImage, storeImage } from "./poll.ts";

/** Fails a task that has waited for a slot until its deadline. */
export async function queue(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  if (deps.clock.now() < deps.catalog.queueDeadline(row)) return enqueue(deps, row);
  const failure = row.kind === "video" ? FAILURES.neverStarted : FAILURES.tookTooLong;
  return decideFailed(deps, row, failure);
}

export const submit: StepRunner = async (deps, row, signal) => {
  if (row.submitToken !== null && !row.isUnsent) return resolveSubmit(deps, row, signal);
  const upstream = row.credential === null ? undefined : deps.upstreams.byName(row.upstream ?? "");
  if (!upstream) return enqueue(deps, row);
  const goOn = await tryUpstreams(deps, row, upstream, signal);
  return goOn();
};

function handleAnswer(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  answer: Exclude<Answer, NotTaken>,
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
      return rescheduleAfterFailure(deps, row, SUBMIT_UNKNOWN);
  }
}

/** Certainly nothing was created, so that another upstream may be tried. */
type NotTaken = Extract<Answer, { kind: "rejected" | "closed" }>;

/**
 * Tries upstreams until one did not certainly reject. An intent of the row is this worker's, for `firstUpstream`. Returns
 * how the task goes on, which needs its pictures no more.
 */
async function tryUpstreams(
  deps: Deps,
  firstRow: GenerationRow,
  firstUpstream: Upstream,
  signal: AbortSignal,
): Promise<() => Promise<GenerationRow | undefined>> {
  // The pictures are in memory until an upstream has answered. After a crash they are fetched again.
  using pictures = deps.pictures(firstRow);
  const tried = new Set<string>();
  let [row, upstream] = [firstRow, firstUpstream];
  const input = inputFromJson(row.kind, row.input);
  // While the catalog is changed, this replica may lack the frame of a video that another one has accepted.
  const isFramed = !isVideo(input) || frameOf(row.model, input, deps.catalog).width > 0;
  /** Slots are assigned without a look at what tasks ask for: one may be at an upstream that cannot serve its task. */
  const canServe = (one: Upstream) => isFramed && lackOf(one, input) === undefined;
  /** The others that can take the task now. */
  const others = () =>
    deps.upstreams.of(row.mode, row.model).filter((one) => !tried.has(one.name) && canServe(one));
  const backoff = () => backoffMs(row.failures, deps.random());
  const change = { ...NO_SLOT, failures: row.failures + 1 };
  /** No upstream took the task, or its pictures cannot be fetched now. */
  const notTaken =
    (pauseMs = backoff()) =>
    () =>
      writeKnown(deps, row, signal, () => reschedule(deps, row, pauseMs, change));
  /** Thrown, the error would leave the token of a submit that has certainly made no job. */
  const noted = (error: unknown): "failed" => {
    deps.log.warn({ err: error, ...logFields(row) }, "no upstream could be tried, retrying");
    return "failed";
  };
  for (let pauseMs: number | undefined; ;) {
    if (pauseMs !== undefined || !canServe(upstream)) {
      const moved = await moveToOther(deps, row, others()).catch(noted);
      if (!moved || moved === "failed") return notTaken(pauseMs);
      ({ row, upstream } = moved);
    }
    const fetched = await picturesFor(deps, row, upstream, pictures, signal);
    if (fetched.kind === "failed") return () => decideFailed(deps, row, fetched.failure);
    if (fetched.kind === "busy") return notTaken();
    if (deps.clock.now() >= deps.catalog.queueDeadline(row)) return () => enqueue(deps, row);
    // If this fails it may have been written, and nothing was sent.
    const intended = await intend(deps, row, tried.size).catch(noted);
    if (intended === "failed") return notTaken();
    // Another worker has taken the row.
    if (!intended) return async () => undefined;
    row = intended;
    tried.add(upstream.name);
    const answer = await sendJob(deps, row, upstream, fetched.pictures);
    if (answer.kind !== "rejected" && answer.kind !== "closed") {
      return () => handleAnswer(deps, row, upstream, answer, signal);
    }
    // How long the task waits if no other upstream takes it.
    pauseMs = pauseOf((answer.kind === "rejected" && answer.retryAfterMs) || backoff());
  }
}

/** Before the intent, because a slow picture server must not use up the time in which the submit has to be sent. */
async function picturesFor(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  pictures: TaskPictures,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!upstream.provider.takesBytes) return { kind: "fetched", pictures: [] };
  return pictures.fetch(signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    deps.log.warn({ err: error, ...logFields(row) }, "inputs not fetched");
    return { kind: "busy" };
  });
}

/** Committed before anything is sent. Each submit of a row has a token of its own. */
async function intend(
  deps: Deps,
  row: GenerationRow,
  ordinal: number,
): Promise<GenerationRow | undefined> {
  if (row.submitToken !== null) return { ...row, isUnsent: false };
  const submitToken = submitTokenOf(row, ordinal);
  const intended = await deps.writes.update(row, { submitToken, submittedAt: deps.clock.now() });
  return intended && begun(intended);
}

type Answer = Submitted | Imaged;

/** Sends nothing if the worker was paused for so long that the task may have ended without it. */
async function sendJob(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  pictures: readonly Picture[],
): Promise<Answer> {
  const submitBy = addMs(submitBegunAt(row), SUBMIT_TIMEOUT_MS);
  if (deps.clock.now() >= submitBy) return { kind: "unknown" };
  const { provider } = upstream;
  const job = {
    ...jobOf(row, row.submitToken ?? "", deps.catalog, upstream),
    ...(provider.takesBytes ? { pictures } : {}),
  };
  const makeImage = row.kind === "image" ? provider.image : undefined;
  const send: (job: Job, limit: AbortSignal) => Promise<Answer> = makeImage ?? provider.submit;
  const until = makeImage ? deps.catalog.processingDeadline(row, deps.clock.now()) : submitBy;
  const leftMs = Math.max(until.getTime() - deps.clock.now().getTime(), 0);
  try {
    // What was sent is waited for even if the row is lost: the answer names a job, or is the image.
    const answer = await withTimeout(deps.clock, leftMs, deps.deadline, (limit) =>
      send(job, limit),
    );
    await noteSubmit(deps, { row, upstream, job }, answer);
    return answer;
  } catch (error) {
    if (makeImage && deps.deadline.aborted) throw error;
    deps.log.warn({ err: error, ...logFields(row) }, "submit not answered");
    await noteSubmit(deps, { row, upstream, job }, { kind: "unknown" });
    if (!makeImage) return { kind: "unknown" };
    const isLate = deps.clock.now() >= until;
    return { kind: "failed", failure: isLate ? FAILURES.tookTooLong : FAILURES.interrupted };
  }
}

/** Looks up a submit whose answer was lost; it is never sent again (docs/architecture.md, invariant 6). */
const resolveSubmit: StepRunner = async (deps, row, signal) => {
  const begunAt = submitBegunAt(row);
  const isLate = deps.clock.now() > deps.catalog.processingDeadline(row, begunAt);
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  if (!upstream) {
    if (isLate) return decideFailed(deps, row, FAILURES.tookTooLong);
    throw notConfigured(row);
  }
  if (row.kind === "image" && upstream.provider.image) {
    if (!upstream.provider.findsImages) return resolveImage(deps, row, signal);
    deps.log.info(logFields(row), "image call cut off: asking the upstream for its job");
  }
  try {
    const found = await findJob(deps, row, upstream, signal);
    if (found !== undefined) return await recordAccepted(deps, row, upstream, found, begunAt);
  } catch (error) {
    if (!isLate) throw error;
  }
  return isLate
    ? decideFailed(deps, row, FAILURES.tookTooLong)
    : rescheduleAfterFailure(deps, row, SUBMIT_UNKNOWN);
};

/** By the submit token, even if this worker has lost the row. A job that nobody needs is canceled. */
async function recordAccepted(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  upstreamId: string,
  acceptedAt = deps.clock.now(),
): Promise<undefined> {
  const deadlineAt = deps.catalog.processingDeadline(row, acceptedAt);
  const acceptance = { upstreamId, startedAt: deps.clock.now(), deadlineAt };
  // A lost row does not end this: nobody else knows the job.
  const accept = () => deps.writes.accept(row, acceptance);
  if (await writeKnown(deps, row, deps.deadline, accept)) return;
  // The task has another job, or has ended.
  const current = await deps.find(row.accountId, row.id);
  const isLost = current && current.settling !== null && current.settling !== "success";
  if (!current || (!isLost && current.upstreamId === upstreamId)) return;
  const isStopped = await cancelSurely(deps, upstream, upstreamId);
  // Without the job's id, which may carry what was asked.
  const fields = { ...logFields(row), upstream: upstream.name };
  if (isStopped) deps.log.warn(fields, "unneeded upstream job canceled");
  else deps.log.error({ ...fields, alert: true }, "unneeded upstream job could not be canceled");
}

const MAX_CANCEL_TRIES = 3;

/** Nobody else knows the job, which costs the operator what it costs. */
async function cancelSurely(deps: Deps, upstream: Upstream, upstreamId: string): Promise<boolean> {
  for (let failures = 0; failures < MAX_CANCEL_TRIES; failures++) {
    if (failures > 0) await deps.clock.sleep(backoffMs(failures, deps.random()));
    const answer = cancelJob(deps.clock, upstream.provider, upstreamId);
    const isStopped = await answer.catch(() => undefined);
    if (isStopped !== undefined) return isStopped;
  }
  return false;
}
