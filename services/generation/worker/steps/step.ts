/** What the steps of a task share: what they depend on, their type, their deadlines, and the ways in which they end. */
import type { Output } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { isUniqueViolation } from "#runtime/postgres/connect.ts";
import type { Base } from "#runtime/service/service.ts";
import { backoffMs } from "../../domain/waits.ts";
import type { Failure } from "../../domain/failures.ts";
import { logFields, outputToJson, type GenerationRow } from "../../domain/generation.ts";
import type { CommonDeps } from "../../holds/deps.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import type { StepChange } from "../../store/steps.ts";
import type { Pictures } from "./pictures.ts";

/** What the worker and its steps depend on. */
export type Deps = CommonDeps &
  Pick<Base, "bus" | "random" | "tracer"> & {
    /** How many tasks of one kind an account may have at upstreams at the same time, in each mode. */
    accountConcurrency: number;
    pictures: Pictures;
    metrics: Metrics;
    /** Aborts when a stop of this process gives up what is in progress. */
    deadline: AbortSignal;
  };

/** Returns the row for its next step, or undefined if there is nothing to do now. What it throws is retried later. */
export type StepRunner = (
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
) => Promise<GenerationRow | undefined>;

/** Clears a row's slot and submit. */
export const NO_SLOT = {
  submitToken: null,
  upstream: null,
  credential: null,
  upstreamModel: null,
} as const satisfies StepChange;

export function notConfigured(row: GenerationRow): Error {
  return new Error(`upstream ${row.upstream ?? "(none)"} is not configured any more`);
}

/** Writes `change` and gives up the row until it is due again, `afterMs` from now. */
export async function reschedule(
  deps: Deps,
  row: GenerationRow,
  afterMs: number,
  change: StepChange = {},
): Promise<undefined> {
  const nextStepAt = addMs(deps.clock.now(), afterMs);
  await deps.writes.update(row, { ...change, nextStepAt, leaseUntil: null });
}

/** Reschedules with a backoff that grows with the row's failures, and keeps the reason for operators. */
export function rescheduleAfterFailure(
  deps: Deps,
  row: GenerationRow,
  reason: unknown,
  change: StepChange = {},
): Promise<undefined> {
  const afterMs = backoffMs(row.failures, deps.random());
  const text = reason instanceof Error ? reason.message : String(reason);
  // Postgres stores no NUL and no half of a character.
  const lastError = text
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, 500)
    .toWellFormed();
  return reschedule(deps, row, afterMs, { ...change, failures: row.failures + 1, lastError });
}

export const SUBMIT_UNKNOWN = "the upstream did not say whether it has the job";

/** Puts the task into its queue, where it waits for a slot until its queue deadline. */
export async function enqueue(deps: Deps, row: GenerationRow): Promise<undefined> {
  const nextStepAt = deps.catalog.queueDeadline(row);
  const change = { ...NO_SLOT, step: "queue", nextStepAt, leaseUntil: null } as const;
  if (await deps.writes.update(row, change)) deps.wake();
}

export function decideFailed(deps: Deps, row: GenerationRow, { code, message }: Failure) {
  const error = { errorCode: code, errorMessage: message };
  return deps.writes.decide(row, { settling: "failed", output: [], ...error });
}

const NO_ERROR = { errorCode: null, errorMessage: null };

export function decideSuccess(deps: Deps, row: GenerationRow, output: readonly Output[]) {
  const decision = { settling: "success", output: outputToJson(output), ...NO_ERROR } as const;
  return deps.writes.decide(row, decision);
}

export function decideCanceled(deps: Deps, row: GenerationRow) {
  return deps.writes.decide(row, { settling: "canceled", output: [], ...NO_ERROR });
}

/** Keeps pauses at 4 s, so that little time passes between the end of an outage and the next try. */
const MAX_DOUBLINGS = 3;

/** Repeats `run` until it succeeds. Throws its error once `isOver`, which knows the next pause, or `signal` has aborted. */
export async function repeat<T>(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
  isOver: (error: unknown, pauseMs: number) => boolean,
  run: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await run();
    } catch (error) {
      const pauseMs = backoffMs(Math.min(failures, MAX_DOUBLINGS), deps.random());
      if (signal.aborted || isOver(error, pauseMs)) throw error;
      deps.log.warn({ err: error, ...logFields(row) }, "a write or copy failed, retrying");
      await deps.clock.sleep(pauseMs, signal);
    }
  }
}

/** A failover of Postgres is over by then. */
const WRITE_FOR_MS = 30_000;

/**
 * Writes what only this worker knows for certain: what an upstream has answered. Repeats `write` until it succeeds, and
 * throws its error when it has failed for 30 s, is refused by a unique index, or after `signal` has aborted: the answer
 * is then forgotten and the submit looked up as unknown. `write` must be right twice: one that failed may have happened.
 */
export function writeKnown<T>(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
  write: () => Promise<T>,
): Promise<T> {
  const giveUpAt = addMs(deps.clock.now(), WRITE_FOR_MS);
  const isOver = (error: unknown) => isUniqueViolation(error) || deps.clock.now() >= giveUpAt;
  return repeat(deps, row, signal, isOver, write);
}
