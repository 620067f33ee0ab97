/**
 * Compares billing's open holds with the generations (docs/architecture.md, invariant 4): the sweep releases those whose create was
 * cut off, and the comparison reports what a defect or a restore has left.
 */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import type { PeriodicJob } from "#runtime/loops.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { holdOf, logFields, rowKey, type Held } from "../domain/generation.ts";
import type { HoldsDeps } from "./deps.ts";
import { deleteUnacknowledged, hasOpenWrite } from "../store/creates.ts";
import { findHoldStates, listUnsettled } from "../store/tasks.ts";

type HoldName = { accountId: string; generationId: string; attempt: number; mode: Mode };

export type Discrepancy = HoldName & {
  /** Of an ended generation: its attempt has ended. Without generation: no row has this id and attempt. */
  kind: "hold_without_generation" | "hold_of_ended_generation" | "generation_without_hold";
};

/** A create begins to insert within 30 s of its hold or never: an older hold is swept when no older write is open. */
const SWEPT_AFTER_MS = 60_000;
const OPEN_WRITE_MS = 30_000;
/** By then the sweep has released what it has to. */
const COMPARED_AFTER_MS = 2 * 60_000;
const PAGE_SIZE = 500;

/**
 * Releases the open holds without a generation, with the files of that attempt, from `after` on. Returns the last hold
 * that it has looked at, for the next call. Any number of processes may do it. Throws UNAVAILABLE while a commit waits.
 */
export async function sweepHolds(
  deps: HoldsDeps,
  after: Hold | undefined,
): Promise<Hold | undefined> {
  const now = deps.clock.now();
  await requireNoOpenWrite(deps.sql, now);
  const before = addMs(now, -SWEPT_AFTER_MS);
  await deleteUnacknowledged(deps.sql, before);
  let last = after;
  for await (const holds of openHolds(deps, before, after)) {
    for (const hold of await unneededOf(deps, holds)) {
      if (hold.kind === "hold_without_generation") await releaseCutOff(deps, hold);
    }
    last = holds.at(-1);
  }
  return last;
}

/** Refuses while the row of a hold may be committed, and not be seen yet. */
async function requireNoOpenWrite(sql: Db, now: Date): Promise<void> {
  if (!(await hasOpenWrite(sql, addMs(now, -OPEN_WRITE_MS)))) return;
  const message = "a commit has waited for 30 s, so what it writes cannot be seen; try again";
  throw refusal({ reason: ErrorReason.UNAVAILABLE, message });
}

/** The files first: without the hold nobody would look for them. */
export async function releaseCutOff(deps: HoldsDeps, hold: HoldName): Promise<void> {
  const { accountId, mode, generationId, attempt } = hold;
  await deps.delivery.releaseFiles({ accountId, generationId, attempt });
  await deps.billing.release({ hold: { accountId, mode, generationId, attempt } });
  const fields = { ...logFields({ accountId, id: generationId }), attempt };
  deps.log.warn(fields, "hold without a generation released");
}

/** How many of each were compared, and where they differ. UNAVAILABLE while a commit waits. */
export async function compareHolds(deps: HoldsDeps) {
  const { billing, sql } = deps;
  const now = deps.clock.now();
  await requireNoOpenWrite(sql, now);
  const before = addMs(now, -COMPARED_AFTER_MS);
  const compared = { holds: 0, generations: 0, discrepancies: [] as Discrepancy[] };
  for await (const page of openHolds(deps, before)) {
    compared.holds += page.length;
    const unneeded = await unneededOf(deps, page);
    // Some were resolved since the page was read.
    const { open } =
      unneeded.length === 0 ? { open: [] } : await billing.checkHolds({ holds: unneeded });
    compared.discrepancies.push(...unneeded.filter((_hold, index) => open[index]));
  }
  const pageAfter = (row?: Held) => listUnsettled(sql, before, row, PAGE_SIZE);
  for (let rows = await pageAfter(); rows.length > 0; rows = await pageAfter(rows.at(-1))) {
    compared.generations += rows.length;
    const { open } = await billing.checkHolds({ holds: rows.map(holdOf) });
    const withoutHold = rows.filter((_row, index) => !open[index]);
    // Some were settled since the page was read.
    const current = withoutHold.length === 0 ? [] : await findHoldStates(sql, withoutHold);
    const unsettled = current.filter(({ settling, step }) => settling === null && step !== "done");
    for (const row of unsettled) {
      compared.discrepancies.push({ ...holdOf(row), kind: "generation_without_hold" });
    }
  }
  return compared;
}

/** Pages of the open holds made before that, the oldest first. */
async function* openHolds(
  { billing }: HoldsDeps,
  before: Date,
  after?: Hold,
): AsyncGenerator<Hold[]> {
  const createdBefore = timestampFromDate(before);
  let last = after;
  for (;;) {
    const request = { createdBefore, limit: PAGE_SIZE, ...(last ? { after: last } : {}) };
    const { holds } = await billing.listOpenHolds(request);
    if (holds.length === 0) return;
    yield holds;
    last = holds.at(-1);
  }
}

/** Those of the holds that no generation needs, and why. */
async function unneededOf({ sql }: HoldsDeps, holds: readonly Hold[]): Promise<Discrepancy[]> {
  const names = holds.map(({ accountId, generationId: id }) => ({ accountId, id }));
  const states = new Map((await findHoldStates(sql, names)).map((row) => [rowKey(row), row]));
  return holds.flatMap(({ accountId, mode, generationId, attempt }): Discrepancy[] => {
    const hold = { accountId, mode, generationId, attempt };
    const state = states.get(rowKey({ accountId, id: generationId }));
    if (state?.attempt !== attempt) return [{ ...hold, kind: "hold_without_generation" }];
    const needsHold = ["queue", "submit", "poll", "settle"].includes(state.step);
    return needsHold ? [] : [{ ...hold, kind: "hold_of_ended_generation" }];
  });
}

/** A hold is looked at when it is 60 s old, so it is released within 75 s. */
const SWEEP_EVERY_MS = 15_000;
const COMPARE_EVERY_MS = 5 * 60_000;

type JobDeps = HoldsDeps & { metrics: { discrepancies: { set: (count: number) => void } } };

/** Of this many runs the first looks at all open holds: after a failover the last may be lost, or others be older. */
const WHOLE_SWEEP_EVERY = 20;

/** Every process runs it. */
export function sweepJob(deps: HoldsDeps): PeriodicJob {
  let last: Hold | undefined;
  let runs = 0;
  return {
    name: "release holds without a generation",
    everyMs: SWEEP_EVERY_MS,
    run: async () => {
      last = await sweepHolds(deps, runs++ % WHOLE_SWEEP_EVERY === 0 ? undefined : last);
    },
  };
}

export function compareJob(deps: JobDeps): PeriodicJob {
  return {
    name: "compare holds and generations",
    everyMs: COMPARE_EVERY_MS,
    run: async () => {
      const { holds, generations, discrepancies } = await compareHolds(deps).catch((error) => {
        deps.metrics.discrepancies.set(NaN);
        throw error;
      });
      deps.metrics.discrepancies.set(discrepancies.length);
      for (const { accountId, generationId: id, attempt, kind } of discrepancies) {
        const fields = { ...logFields({ accountId, id }), attempt, kind };
        deps.log.error(fields, "a hold and its generation do not agree");
      }
      deps.log.info({ holds, generations, discrepancies: discrepancies.length }, "reconciled");
    },
  };
}
