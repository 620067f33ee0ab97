/** Queues and slots in generation.tasks: who waits, and assigning free slots at upstreams. */
import { addMs } from "#runtime/clock.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import type { KindName, ModeName } from "#vocabulary/names.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { joinedColumns } from "./generations.ts";

/** The tasks of one mode and model that wait for a slot. */
export type Queue = { mode: ModeName; model: string; kind: KindName };

export function listQueues(sql: Db): Promise<Queue[]> {
  return sql<Queue[]>`
    with recursive queue as (
      (select mode, model, kind from generation.tasks where step = 'queue' order by mode, model limit 1)
      union all ${nextQueues(sql)}
    )
    select mode, model, kind from queue`;
}

/** The recursive part of a table `queue` that begins with the first queue. Each queue costs one index step. */
export function nextQueues(sql: Db): ReturnType<Db> {
  return sql`
    select next.mode, next.model, next.kind from queue cross join lateral (
      select t.mode, t.model, t.kind from generation.tasks t
      where t.step = 'queue' and (t.mode, t.model) > (queue.mode, queue.model)
      order by t.mode, t.model limit 1) next`;
}

/** Free slots of one upstream. */
export type SlotOffer = {
  name: string;
  credential: string;
  upstreamModel: string;
  priority: number;
  weight: number;
  /** Pictures have to be fetched before the intent to submit. */
  takesBytes: boolean;
  /** How many slots of the credential this worker may take. */
  capacity: number;
  credentialLimit: number | undefined;
  modelLimit: number | undefined;
  intervalMs: number | undefined;
};

export type Assignment = {
  queue: Queue;
  /** In the order of their priorities. */
  offers: readonly SlotOffer[];
  /** How many tasks of one kind an account may have at upstreams. */
  accountLimit: number;
  pictureFields: readonly string[];
  /** How many tasks are assigned at most. */
  limit: number;
  /** Accounts after this one are looked at. */
  after: string;
  at: Date;
  leaseMs: number;
};

/** `lastAccount`: the last that was looked at; undefined if none was. */
export type Assigned = { rows: GenerationRow[]; lastAccount: string | undefined };

/**
 * Leases waiting tasks of the queue to this worker, with slots, and with the intent to submit where no pictures have to
 * be fetched before. Nothing while another worker assigns slots of the mode.
 */
export async function assignSlots(sql: Db, to: Assignment): Promise<Assigned> {
  const { rows, lastAccount } = await assigned(sql, to, undefined);
  const taken = rows.map((row) => {
    if (row.submitToken === null) return row;
    const isBegun = row.kind === "image" && row.status === "pending";
    const shown = isBegun ? ({ status: "processing", startedAt: to.at } as const) : {};
    return { ...row, ...shown, isUnsent: true };
  });
  return { rows: taken, lastAccount };
}

/** Moves a task of this worker to a slot, without an intent; undefined if there is none, or another worker has the row. */
export async function moveSlot(
  sql: Db,
  row: GenerationRow,
  to: Pick<Assignment, "offers" | "at" | "leaseMs">,
): Promise<GenerationRow | undefined> {
  const one = { queue: row, accountLimit: 0, pictureFields: [], limit: 1, after: "" };
  const { rows } = await assigned(sql, { ...to, ...one }, row);
  return rows[0];
}

async function assigned(
  sql: Db,
  { queue, offers, accountLimit, pictureFields, limit, after, at, leaseMs }: Assignment,
  moved: GenerationRow | undefined,
): Promise<Assigned> {
  const found = await sql<(GenerationRow & { lastAccount?: string | null })[]>`
    select ${joinedColumns(sql)}, a.last_account, a.is_trial
    from generation.assign_slots(${queue.mode}, ${queue.model}, ${queue.kind}, ${jsonRecords(sql, offers)},
      ${accountLimit}, ${limit}, ${at}, ${addMs(at, leaseMs)}, ${after}, ${moved?.accountId ?? null},
      ${moved?.id ?? null}, ${moved?.fence.toString() ?? null}, ${pictureFields as string[]}::text[]) a
    cross join lateral (select (a.task).*) t
    cross join lateral (select (a.generation).*) g`;
  const lastAccount = found[0]?.lastAccount ?? undefined;
  for (const row of found) delete row.lastAccount;
  return { rows: found.filter(({ id }) => id !== null), lastAccount };
}
