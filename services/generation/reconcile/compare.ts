/** Compares billing's open holds with the generations that have not ended, both ways (architecture.md, invariant 4). */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { modeOf } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { findStandings, listUnsettled } from "../store/unfinished.ts";
import type { Standing } from "../store/unfinished.ts";

export type Discrepancy = {
  accountId: string;
  generationId: string;
  attempt: number;
  kind: "hold_without_generation" | "generation_without_hold";
};

export type Comparison = { holds: number; generations: number; discrepancies: Discrepancy[] };

type CompareDeps = Pick<Deps, "sql" | "clock" | "billing">;

/** What is younger is still on its way: an unacknowledged create is undone within a minute. */
const SETTLED_AFTER_MS = 2 * 60 * 1000;
const PAGE = 500;

export async function compareHolds(deps: CompareDeps): Promise<Comparison> {
  const before = addMs(deps.clock.now(), -SETTLED_AFTER_MS);
  const [holds, generations] = [await checkHolds(deps, before), await checkRows(deps, before)];
  return {
    holds: holds.seen,
    generations: generations.seen,
    discrepancies: [...holds.found, ...generations.found],
  };
}

type Checked = { seen: number; found: Discrepancy[] };

/** Every open hold has a generation that still needs it. */
async function checkHolds(deps: CompareDeps, before: Date): Promise<Checked> {
  const checked: Checked = { seen: 0, found: [] };
  const createdBefore = timestampFromDate(before);
  for (let after: Hold | undefined; ;) {
    const request = { createdBefore, limit: PAGE, ...(after ? { after } : {}) };
    const { holds } = await deps.billing.listOpenHolds(request);
    if (holds.length === 0) return checked;
    checked.seen += holds.length;
    const rows = new Map((await findStandings(deps.sql, holds)).map((row) => [row.id, row]));
    const stray = holds.filter((hold) => !needsHold(rows.get(hold.generationId), hold.attempt));
    for (const hold of await stillOpen(deps, stray)) {
      checked.found.push({ ...nameOf(hold), kind: "hold_without_generation" });
    }
    after = holds.at(-1);
  }
}

/** A void row that is due to give its hold back needs it until then. */
function needsHold(row: Standing | undefined, attempt: number): boolean {
  if (!row || row.attempt !== attempt) return false;
  return row.step !== "done" && row.step !== "notify" && row.next_step_at !== null;
}

/** A hold that was resolved since the page was read is none to report. */
async function stillOpen(deps: CompareDeps, holds: Hold[]): Promise<Hold[]> {
  if (holds.length === 0) return [];
  const { open } = await deps.billing.checkHolds({ holds });
  return holds.filter((_hold, index) => open[index]);
}

/** Every generation that has not ended has its hold. */
async function checkRows(deps: CompareDeps, before: Date): Promise<Checked> {
  const checked: Checked = { seen: 0, found: [] };
  for (let after: Standing | undefined; ;) {
    const rows = await listUnsettled(deps.sql, before, after, PAGE);
    if (rows.length === 0) return checked;
    checked.seen += rows.length;
    const { open } = await deps.billing.checkHolds({ holds: rows.map(holdNameOf) });
    const bare = rows.filter((_row, index) => !open[index]);
    for (const row of await stillUnsettled(deps, bare)) {
      checked.found.push({ ...nameOf(holdNameOf(row)), kind: "generation_without_hold" });
    }
    after = rows.at(-1);
  }
}

/** A generation that was settled since the page was read is none to report. */
async function stillUnsettled(deps: CompareDeps, rows: Standing[]): Promise<Standing[]> {
  const names = rows.map((row) => ({ accountId: row.account_id, generationId: row.id }));
  const now = names.length === 0 ? [] : await findStandings(deps.sql, names);
  return now.filter((row) => row.settling === null);
}

function holdNameOf(row: Standing) {
  const { account_id: accountId, id: generationId, attempt } = row;
  return { accountId, mode: modeOf(row.mode), generationId, attempt };
}

function nameOf(hold: Pick<Hold, "accountId" | "generationId" | "attempt">) {
  const { accountId, generationId, attempt } = hold;
  return { accountId, generationId, attempt };
}
