/** Gives a task to an upstream: at most one job a task, whatever breaks (architecture.md, invariant 6). */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import { processingDeadline, queueDeadline, submitBegunAt } from "../../domain/deadlines.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { jobOf } from "../../domain/job.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import type { Upstream } from "../../upstreams/index.ts";
import type { Imaged, Submitted } from "../../providers/provider.ts";
import { moveSlot, pauseCredential } from "../slots.ts";
import { decideFailed, enqueue, reschedule, rescheduleAfterFailure, NO_SLOT } from "../step.ts";
import { accepted } from "./accepted.ts";
import { resume, SUBMIT_TIMEOUT_MS } from "./resume.ts";
import { keepImage } from "./keep-image.ts";

type Answer = Submitted | Imaged;
/** Certainly nothing was created, so that another route may be asked. */
type NotTaken = Extract<Answer, { kind: "rejected" | "closed" }>;

export async function submit(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  if (row.submit_token !== null) return resume(deps, row, row.submit_token, signal);
  const deadline = queueDeadline(row, deps.catalog.deadlines(row.kind, row.model));
  const route = row.credential === null ? undefined : deps.upstreams.byName(row.provider ?? "");
  if (!route || deps.clock.now() >= deadline) return enqueue(deps, row);
  const intended = await deps.writes.update(row, intentOf(deps, row, 0));
  return intended && overRoutes(deps, intended, route, signal);
}

/** One route after the other, at once, for as long as they certainly took nothing. */
async function overRoutes(
  deps: Deps,
  first: GenerationRow,
  firstRoute: Upstream,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const tried = new Set<string>();
  let [row, route] = [first, firstRoute];
  for (;;) {
    tried.add(route.name);
    const answer = await send(deps, row, route, signal);
    reportHealth(deps, route, answer);
    if (answer.kind !== "rejected" && answer.kind !== "closed") {
      return answered(deps, row, route, answer, signal);
    }
    const pauseMs = await pauseAfter(deps, row, route, answer);
    const others = deps.upstreams
      .available(row.mode, row.model)
      .filter(({ name }) => !tried.has(name));
    const moved = await moveSlot(deps, row, others, intentOf(deps, row, tried.size));
    if (!moved) {
      return reschedule(deps, row, pauseMs, { ...NO_SLOT, failures: row.failures + 1 });
    }
    ({ row, route } = moved);
  }
}

/** Committed before anything is sent; each submit has a token of its own. */
function intentOf(deps: Deps, row: GenerationRow, nth: number) {
  const submit_token = nth === 0 ? `${row.id}.${row.fence}` : `${row.id}.${row.fence}.${nth}`;
  return { submit_token, submitted_at: deps.clock.now() };
}

async function send(
  deps: Deps,
  row: GenerationRow,
  { provider, ...words }: Upstream,
  signal: AbortSignal,
): Promise<Answer> {
  const job = jobOf(row, row.submit_token ?? "", deps.catalog, words);
  const { image } = provider;
  // A worker that was paused since it wrote its intent sends nothing: others take it for certain by then that nothing
  // is on its way.
  const submitLeftMs =
    addMs(submitBegunAt(row), SUBMIT_TIMEOUT_MS).getTime() - deps.clock.now().getTime();
  if (submitLeftMs <= 0) return { kind: "unknown" };
  if (row.kind === "video" || !image) {
    return withTimeout(deps.clock, submitLeftMs, signal, (limit) =>
      provider.submit(job, limit),
    ).catch((error: unknown) => {
      deps.log.warn({ err: error, generation_id: row.id }, "a submit was not answered");
      return { kind: "unknown" };
    });
  }
  const deadlines = deps.catalog.deadlines(row.kind, row.model);
  const deadline = processingDeadline(row, deadlines, deps.clock.now());
  const leftMs = Math.max(deadline.getTime() - deps.clock.now().getTime(), 0);
  return withTimeout(deps.clock, leftMs, signal, (limit) => image(job, limit)).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      deps.log.warn({ err: error, generation_id: row.id }, "image call failed");
      const isLate = deps.clock.now() >= deadline;
      return { kind: "failed", failure: isLate ? FAILURES.tookTooLong : FAILURES.cutOff };
    },
  );
}

function answered(
  deps: Deps,
  row: GenerationRow,
  route: Upstream,
  answer: Exclude<Answer, NotTaken>,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  switch (answer.kind) {
    case "accepted":
      return accepted(deps, row, route, answer.upstreamId);
    case "refused":
    case "failed":
      return decideFailed(deps, row, answer.failure);
    case "succeeded":
      return keepImage(deps, row, answer.sources, signal);
    case "unknown":
      return rescheduleAfterFailure(deps, row);
  }
}

function reportHealth(deps: Deps, route: Upstream, answer: Answer): void {
  switch (answer.kind) {
    case "accepted":
    case "refused":
    case "succeeded":
    case "failed":
      return deps.upstreams.report(route, { kind: "ok" });
    case "closed":
      return deps.upstreams.report(route, answer);
    case "unknown":
      return deps.upstreams.report(route, { kind: "unavailable" });
    case "rejected":
      if (answer.fault === "unavailable") deps.upstreams.report(route, { kind: "unavailable" });
  }
}

/** How long this task waits if no other route takes it. An upstream that is asked too much is left alone by all. */
async function pauseAfter(
  deps: Deps,
  row: GenerationRow,
  route: Upstream,
  answer: NotTaken,
): Promise<number> {
  const plannedMs = backoffMs(row.failures, deps.random());
  if (answer.kind === "closed") return plannedMs;
  const pauseMs = answer.retryAfterMs ?? plannedMs;
  if (answer.fault === "rate_limited") await pauseCredential(deps, route, pauseMs);
  return pauseMs;
}
