/** Tries the upstreams of a task one after the other, until one did not certainly reject it. */
import type { Deps } from "./deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import { lackOf } from "../../domain/capabilities.ts";
import { pauseOf } from "../../domain/pause.ts";
import { inputFromJson, type GenerationRow } from "../../domain/generation.ts";
import { submitTokenOf } from "../../domain/job.ts";
import type { Input } from "../../domain/plan.ts";
import type { Failure } from "../../providers/provider.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import type { Fetched, TaskPictures } from "../pictures/pictures.ts";
import { moveToOther, pauseCredential } from "../slots/slots.ts";
import { queueDeadlineOf } from "./step.ts";
import { sendJob, type Answer } from "./send-job.ts";

export type Answered = {
  kind: "answered";
  row: GenerationRow;
  upstream: Upstream;
  answer: Exclude<Answer, NotTaken>;
};

export type Outcome =
  | Answered
  /** A picture could not be read. Nothing was sent, which says nothing about the upstream. */
  | { kind: "unreadable"; failure: Failure }
  /** The task is past its queue deadline. */
  | { kind: "late"; row: GenerationRow }
  /** No upstream took the task, or its pictures cannot be fetched now. */
  | { kind: "not taken"; row: GenerationRow; pauseMs: number }
  /** Another worker has taken the row. */
  | { kind: "lost" };

/** Certainly nothing was created, so that another upstream may be tried. */
type NotTaken = Extract<Answer, { kind: "rejected" | "closed" }>;

/**
 * Tries one upstream after the other, at once, until one did not certainly reject the task. A row that has an intent
 * already has it from this worker, for `firstUpstream`.
 */
export async function tryUpstreams(
  deps: Deps,
  firstRow: GenerationRow,
  firstUpstream: Upstream,
  signal: AbortSignal,
): Promise<Outcome> {
  // The pictures are in memory until an upstream has answered. After a crash they are fetched again.
  using pictures = deps.pictures.of(firstRow);
  const tried = new Set<string>();
  let [row, upstream] = [firstRow, firstUpstream];
  const input = inputFromJson(row.kind, row.input);
  /** The others that can take the task now. */
  const others = () =>
    deps.upstreams
      .available(row.mode, row.model)
      .filter((one) => !tried.has(one.name) && canServe(one, input));
  if (!canServe(upstream, input)) {
    const pauseMs = backoffMs(row.failures, deps.random());
    try {
      const moved = await moveToOther(deps, row, others());
      if (!moved) return { kind: "not taken", row, pauseMs };
      ({ row, upstream } = moved);
    } catch (error) {
      return withoutJob(deps, row, pauseMs, error);
    }
  }
  for (;;) {
    const fetched = await fetchPictures(deps, row, upstream, pictures, signal);
    if (fetched.kind === "failed") return { kind: "unreadable", failure: fetched.failure };
    if (fetched.kind === "busy") {
      return { kind: "not taken", row, pauseMs: backoffMs(row.failures, deps.random()) };
    }
    if (deps.clock.now() >= queueDeadlineOf(deps, row)) return { kind: "late", row };
    let pauseMs = backoffMs(row.failures, deps.random());
    let intended: GenerationRow | undefined;
    try {
      intended = await intend(deps, row, tried.size);
    } catch (error) {
      // It may have been written, and nothing was sent.
      return withoutJob(deps, row, pauseMs, error);
    }
    if (!intended) return { kind: "lost" };
    row = intended;
    tried.add(upstream.name);
    const answer = await sendJob(deps, row, upstream, fetched.pictures);
    if (answer.kind === "closed") deps.upstreams.suspend(upstream, answer);
    if (answer.kind !== "rejected" && answer.kind !== "closed") {
      return { kind: "answered", row, upstream, answer };
    }
    try {
      pauseMs = await pauseAfter(deps, row, upstream, answer);
      const moved = await moveToOther(deps, row, others());
      if (!moved) return { kind: "not taken", row, pauseMs };
      ({ row, upstream } = moved);
    } catch (error) {
      return withoutJob(deps, row, pauseMs, error);
    }
  }
}

/** Thrown, the error would leave the token of a submit that has certainly made no job. */
function withoutJob(deps: Deps, row: GenerationRow, pauseMs: number, error: unknown): Outcome {
  const { id, accountId } = row;
  const fields = { err: error, generation_id: id, account_id: accountId };
  deps.log.warn(fields, "no upstream could be tried, retrying");
  return { kind: "not taken", row, pauseMs };
}

/** Slots are assigned without a look at the tasks, so that one may be at an upstream that cannot serve its task. */
export function canServe(upstream: Upstream, input: Input): boolean {
  return lackOf(upstream, input) === undefined;
}

/** Before the intent, because a stranger's server must not use up the time in which the submit has to be sent. */
async function fetchPictures(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  pictures: TaskPictures,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!upstream.provider.takesBytes) return { kind: "fetched", pictures: [] };
  return pictures.fetch(signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    const { id, accountId } = row;
    deps.log.warn({ err: error, generation_id: id, account_id: accountId }, "inputs not fetched");
    return { kind: "busy" };
  });
}

/**
 * Committed before anything is sent. Each submit of a row has a token of its own. A pending image is shown as processing:
 * the call that makes it cannot be taken back, so that the image can be canceled no more.
 */
async function intend(
  deps: Deps,
  row: GenerationRow,
  ordinal: number,
): Promise<GenerationRow | undefined> {
  if (row.submitToken !== null) return row;
  const intent = {
    submitToken: submitTokenOf(row, ordinal),
    submittedAt: deps.clock.now(),
  };
  return row.kind === "image" && row.status === "pending"
    ? deps.writes.begin(row, intent)
    : deps.writes.update(row, intent);
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
  const pauseMs = pauseOf(answer.retryAfterMs ?? plannedMs);
  if (answer.fault === "rate_limited") await pauseCredential(deps, upstream, pauseMs);
  return pauseMs;
}
