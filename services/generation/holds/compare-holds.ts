/** Compares billing's open holds with unfinished generations, both ways (docs/architecture.md, invariant 4). */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { BillingService, Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { addMs, type Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { rowKey } from "../domain/generation.ts";
import { findHoldStates, listUnsettled, type HoldState } from "../store/hold-states.ts";

export type Discrepancy = {
  accountId: string;
  generationId: string;
  attempt: number;
  mode: Mode;
  /** A hold is of an ended generation if its own attempt has ended; without one there is no such generation or attempt. */
  kind: "hold_without_generation" | "hold_of_ended_generation" | "generation_without_hold";
};

/** How many of each were compared, and where they differ. */
export type Comparison = { holds: number; generations: number; discrepancies: Discrepancy[] };

export type CompareDeps = { sql: Sql; clock: Clock; billing: Client<typeof BillingService> };

/** Younger ones may still be in the middle of a create, which is undone within a minute. */
const MIN_AGE_MS = 2 * 60 * 1000;
/** A release that failed is tried again within this time. */
const UNDONE_WITHIN_MS = 60 * 1000;
const PAGE_SIZE = 500;

export async function compareHolds(deps: CompareDeps): Promise<Comparison> {
  const createdBefore = addMs(deps.clock.now(), -MIN_AGE_MS);
  const holds = await checkHolds(deps, createdBefore);
  const generations = await checkGenerations(deps, createdBefore);
  return {
    holds: holds.count,
    generations: generations.count,
    discrepancies: [...holds.discrepancies, ...generations.discrepancies],
  };
}

type Checked = { count: number; discrepancies: Discrepancy[] };

/** Every open hold has a generation that still needs it. */
async function checkHolds(deps: CompareDeps, before: Date): Promise<Checked> {
  const checked: Checked = { count: 0, discrepancies: [] };
  const request = { createdBefore: timestampFromDate(before), limit: PAGE_SIZE };
  const soon = addMs(deps.clock.now(), UNDONE_WITHIN_MS);
  let { holds } = await deps.billing.listOpenHolds(request);
  while (holds.length > 0) {
    checked.count += holds.length;
    const states = new Map(
      (await findHoldStates(deps.sql, holds)).map((row) => [rowKey(row), row]),
    );
    const stateOf = ({ accountId, generationId: id }: Hold) =>
      states.get(rowKey({ accountId, id }));
    const unneeded = holds.filter((hold) => !needsHold(stateOf(hold), hold.attempt, soon));
    for (const hold of await stillOpen(deps, unneeded)) {
      const isEnded = stateOf(hold)?.attempt === hold.attempt;
      const kind = isEnded ? "hold_of_ended_generation" : "hold_without_generation";
      checked.discrepancies.push({ ...nameOf(hold), kind });
    }
    const after = holds.at(-1);
    ({ holds } = await deps.billing.listOpenHolds({ ...request, ...(after ? { after } : {}) }));
  }
  return checked;
}

/** A void row needs its hold until it is released, soon. After that the row is only due to be deleted. */
function needsHold(row: HoldState | undefined, attempt: number, soon: Date): boolean {
  if (!row || row.attempt !== attempt) return false;
  if (row.step === "void" && row.nextStepAt !== null) return row.nextStepAt <= soon;
  return row.step !== "done" && row.step !== "notify" && row.nextStepAt !== null;
}

/** Leaves out holds that were resolved since the page was read. */
async function stillOpen(deps: CompareDeps, holds: Hold[]): Promise<Hold[]> {
  if (holds.length === 0) return [];
  const { open } = await deps.billing.checkHolds({ holds });
  return holds.filter((_hold, index) => open[index]);
}

/** Every unsettled generation has its hold. */
async function checkGenerations(deps: CompareDeps, before: Date): Promise<Checked> {
  const checked: Checked = { count: 0, discrepancies: [] };
  let rows = await listUnsettled(deps.sql, before, undefined, PAGE_SIZE);
  while (rows.length > 0) {
    checked.count += rows.length;
    const { open } = await deps.billing.checkHolds({ holds: rows.map(holdNameOf) });
    const withoutHold = rows.filter((_row, index) => !open[index]);
    for (const row of await stillUnsettled(deps, withoutHold)) {
      checked.discrepancies.push({ ...nameOf(holdNameOf(row)), kind: "generation_without_hold" });
    }
    rows = await listUnsettled(deps.sql, before, rows.at(-1), PAGE_SIZE);
  }
  return checked;
}

/** Leaves out generations that were settled since the page was read. */
async function stillUnsettled(deps: CompareDeps, rows: HoldState[]): Promise<HoldState[]> {
  const names = rows.map((row) => ({ accountId: row.accountId, generationId: row.id }));
  const current = names.length === 0 ? [] : await findHoldStates(deps.sql, names);
  return current.filter((row) => row.settling === null);
}

function holdNameOf(row: HoldState) {
  const { accountId, id: generationId, attempt } = row;
  return { accountId, mode: modeOf(row.mode), generationId, attempt };
}

function nameOf({ accountId, mode, generationId, attempt }: Omit<Discrepancy, "kind">) {
  return { accountId, mode, generationId, attempt };
}
