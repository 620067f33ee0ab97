/** Step `submit`: gives a task to an upstream, with at most one job per task (docs/architecture.md, invariant 6). */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import { submitBegunAt } from "../../domain/deadlines.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { jobOf } from "../../domain/job.ts";
import type { Job } from "../../domain/job.ts";
import type { Imaged, Provider, Submitted } from "../../providers/provider.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import type { StepChange } from "../../store/steps.ts";
import type { Upstream } from "../../upstreams/index.ts";
import { moveSlot, pauseCredential } from "../slots.ts";
import {
  decideFailed,
  enqueue,
  NO_SLOT,
  processingDeadlineOf,
  queueDeadlineOf,
  reschedule,
} from "../step.ts";
import { leaveUnknown } from "./leave-unknown.ts";
import { recordAccepted } from "./record-accepted.ts";
import { resolveSubmit, SUBMIT_TIMEOUT_MS } from "./resolve-submit.ts";
import { storeImage } from "./store-image.ts";

type Answer = Submitted | Imaged;
/** Certainly nothing was created, so that another upstream may be tried. */
type NotTaken = Extract<Answer, { kind: "rejected" | "closed" }>;

export async function submit(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  if (row.submitToken !== null) return resolveSubmit(deps, row, row.submitToken, signal);
  const upstream = row.credential === null ? undefined : deps.upstreams.byName(row.provider ?? "");
  const isLate = deps.clock.now() >= queueDeadlineOf(deps, row);
  if (!upstream || isLate) return enqueue(deps, row);
  const intended = await deps.writes.update(row, intentOf(deps, row, 0));
  return intended && tryUpstreams(deps, intended, upstream, signal);
}

/** Tries one upstream after the other, at once, until one did not certainly reject the task. */
async function tryUpstreams(
  deps: Deps,
  firstRow: GenerationRow,
  firstUpstream: Upstream,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const tried = new Set<string>();
  let [row, upstream] = [firstRow, firstUpstream];
  for (;;) {
    tried.add(upstream.name);
    const answer = await send(deps, row, upstream, signal);
    reportHealth(deps, upstream, answer);
    if (answer.kind !== "rejected" && answer.kind !== "closed") {
      return handleAnswer(deps, row, upstream, answer, signal);
    }
    const pauseMs = await pauseAfter(deps, row, upstream, answer);
    const others = deps.upstreams
      .available(row.mode, row.model)
      .filter(({ name }) => !tried.has(name));
    const moved = await moveSlot(deps, row, others, intentOf(deps, row, tried.size));
    if (!moved) {
      return reschedule(deps, row, pauseMs, { ...NO_SLOT, failures: row.failures + 1 });
    }
    ({ row, upstream } = moved);
  }
}

/** Committed before anything is sent. Each submit of a row has a token of its own. */
function intentOf(deps: Deps, row: GenerationRow, ordinal: number): StepChange {
  const token = `${row.id}.${row.fence}`;
  return {
    submitToken: ordinal === 0 ? token : `${token}.${ordinal}`,
    submittedAt: deps.clock.now(),
  };
}

/** Sends nothing if the worker was paused for so long after its intent that others may take the submit for absent. */
async function send(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<Answer> {
  const submitBy = addMs(submitBegunAt(row), SUBMIT_TIMEOUT_MS);
  const submitLeftMs = submitBy.getTime() - deps.clock.now().getTime();
  if (submitLeftMs <= 0) return { kind: "unknown" };
  const { provider } = upstream;
  const job = jobOf(row, row.submitToken ?? "", deps.catalog, upstream);
  if (row.kind === "image" && provider.image) {
    return makeImage(deps, row, provider.image, job, signal);
  }
  // A submit that was sent is waited for even if the row is lost: its answer names a job.
  return withTimeout(deps.clock, submitLeftMs, deps.deadline, (limit) =>
    provider.submit(job, limit),
  ).catch((error: unknown) => {
    deps.log.warn({ err: error, generation_id: row.id }, "submit not answered");
    return { kind: "unknown" };
  });
}

/** The call may take until the task's deadline, because its answer is the image. */
async function makeImage(
  deps: Deps,
  row: GenerationRow,
  image: NonNullable<Provider["image"]>,
  job: Job,
  signal: AbortSignal,
): Promise<Imaged> {
  const deadline = processingDeadlineOf(deps, row, deps.clock.now());
  const leftMs = Math.max(deadline.getTime() - deps.clock.now().getTime(), 0);
  return withTimeout(deps.clock, leftMs, signal, (limit) => image(job, limit)).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      deps.log.warn({ err: error, generation_id: row.id }, "image call failed");
      const isLate = deps.clock.now() >= deadline;
      return { kind: "failed", failure: isLate ? FAILURES.tookTooLong : FAILURES.interrupted };
    },
  );
}

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
      return decideFailed(deps, row, answer.failure);
    case "succeeded":
      return storeImage(deps, row, answer.sources, signal);
    case "unknown":
      return leaveUnknown(deps, row, upstream);
  }
}

/** A rate limit says nothing about the health of an upstream. */
function reportHealth(deps: Deps, upstream: Upstream, answer: Answer): void {
  switch (answer.kind) {
    case "accepted":
    case "refused":
    case "succeeded":
    case "failed":
      return deps.upstreams.report(upstream, { kind: "ok" });
    case "closed":
      return deps.upstreams.report(upstream, answer);
    case "unknown":
      return deps.upstreams.report(upstream, { kind: "unavailable" });
    case "rejected":
      if (answer.fault === "unavailable") deps.upstreams.report(upstream, { kind: "unavailable" });
  }
}

/**
 * How long the task waits if no other upstream takes it. After a rate limit nobody submits to the account meanwhile.
 */
async function pauseAfter(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  answer: NotTaken,
): Promise<number> {
  const plannedMs = backoffMs(row.failures, deps.random());
  if (answer.kind === "closed") return plannedMs;
  const pauseMs = answer.retryAfterMs ?? plannedMs;
  if (answer.fault === "rate_limited") await pauseCredential(deps, upstream, pauseMs);
  return pauseMs;
}
