/** Queues and slots in generation.tasks: who waits, how many slots are in use, and assigning free ones. */
import type { KindName } from "#vocabulary/kind.ts";
import type { Db, Transaction } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import { addMs } from "#runtime/clock.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { joinedColumns } from "./generations.ts";

/** The tasks of one mode and model that wait for a slot. */
export type Queue = { mode: ModeName; model: string; kind: KindName };

/** The columns that say which slot a task has. */
export type SlotFields = { upstream: string; credential: string; upstreamModel: string };

/** `takesBytes`: pictures have to be fetched before the intent to submit. */
export type Slot = SlotFields & { takesBytes: boolean };

/** The queues that are not empty. */
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

export type OccupiedSlots = { credential: string; upstreamModel: string; count: number };

/** How many slots of these credentials are in use, by upstream model; read from an index alone. */
export function countOccupiedSlots(
  sql: Db,
  credentials: readonly string[],
): Promise<OccupiedSlots[]> {
  return sql<OccupiedSlots[]>`
    select credential, upstream_model, count(*)::int as count from generation.tasks
    where step in ('submit', 'poll') and credential is not null
      and credential = any(${credentials as string[]}::text[])
    group by credential, upstream_model`;
}

/** `free`: how many more tasks the account may have at upstreams; may be negative. */
export type QueuedAccount = { accountId: string; free: number };

/** The next accounts that wait in a queue: those after `after` in order of id, then those from the beginning. */
export function listQueuedAccounts(
  sql: Db,
  queue: Queue,
  after: string,
  limits: { accounts: number; accountConcurrency: number },
): Promise<QueuedAccount[]> {
  const { mode, model } = queue;
  return sql<QueuedAccount[]>`
    with recursive visited as (
      select ${after}::text as account_id, false as is_round, 0 as turn
      union all
      select next.account_id, next.is_round, v.turn + 1 from visited v cross join lateral (
        (select t.account_id, v.is_round as is_round from generation.tasks t
          where t.step = 'queue' and t.mode = ${mode} and t.model = ${model} and t.account_id > v.account_id
            and (not v.is_round or t.account_id <= ${after})
          order by t.account_id limit 1)
        union all
        (select t.account_id, true from generation.tasks t
          where not v.is_round and t.step = 'queue' and t.mode = ${mode} and t.model = ${model}
            and t.account_id <= ${after}
          order by t.account_id limit 1)
        order by is_round limit 1) next
      where v.turn < ${limits.accounts}
    )
    select v.account_id, ${free(sql, sql`v.account_id`, queue, limits.accountConcurrency)} as free
    from visited v where v.turn > 0 order by v.turn`;
}

/** `free` of these accounts, in their order. */
export function countFreeSlots(
  sql: Db,
  queue: Queue,
  accounts: readonly string[],
  accountConcurrency: number,
): Promise<QueuedAccount[]> {
  return sql<QueuedAccount[]>`
    select account_id, ${free(sql, sql`one.account_id`, queue, accountConcurrency)} as free
    from unnest(${accounts as string[]}::text[]) with ordinality as one (account_id, ordinal)
    order by ordinal`;
}

/** Counts no more rows than the limit. */
function free(
  sql: Db,
  accountId: ReturnType<Db>,
  { mode, kind }: Queue,
  accountConcurrency: number,
): ReturnType<Db> {
  return sql`${accountConcurrency}::int - (
    select count(*)::int from (
      select from generation.tasks t
      where t.account_id = ${accountId} and t.mode = ${mode} and t.kind = ${kind}
        and t.step in ('submit', 'poll') and t.credential is not null
      limit ${accountConcurrency}) occupied)`;
}

/**
 * Assigns the slots, in order, to each account's oldest waiting tasks and leases those to this worker, with the intent to
 * submit: the token is `submitTokenOf` the row. A pending image is shown as processing with it.
 */
export async function assignSlots(
  tx: Transaction,
  queue: Queue,
  accounts: readonly { accountId: string; take: number }[],
  slots: readonly Slot[],
  at: Date,
  leaseMs: number,
): Promise<GenerationRow[]> {
  const rows = await tx<GenerationRow[]>`
    with picked as (
      select waiting.account_id, waiting.id, row_number() over () as ordinal
      from unnest(${accounts.map((one) => one.accountId)}::text[], ${accounts.map((one) => one.take)}::int[])
        as share (account_id, take)
      cross join lateral (
        select q.account_id, q.id from generation.tasks q
        where q.step = 'queue' and q.mode = ${queue.mode} and q.model = ${queue.model}
          and q.account_id = share.account_id and q.next_step_at > ${at}
        order by q.created_at, q.id limit share.take) waiting
    ), slot as (
      select ordinal, upstream, credential, upstream_model, takes_bytes::boolean as takes_bytes
      from unnest(${slots.map((one) => one.upstream)}::text[], ${slots.map((one) => one.credential)}::text[],
        ${slots.map((one) => one.upstreamModel)}::text[], ${slots.map((one) => String(one.takesBytes))}::text[])
        with ordinality as slot (upstream, credential, upstream_model, takes_bytes, ordinal)
    ), begun as (
      update generation.generations g set status = 'processing', started_at = ${at}
      from picked join slot using (ordinal)
      where g.account_id = picked.account_id and g.id = picked.id and g.kind = 'image' and g.status = 'pending'
        and not slot.takes_bytes
    )
    update generation.tasks t
    set step = 'submit', fence = t.fence + 1, lease_until = ${addMs(at, leaseMs)}, next_step_at = ${at},
      upstream = slot.upstream, credential = slot.credential, upstream_model = slot.upstream_model,
      submit_token = case when not slot.takes_bytes then t.id || '.' || (t.fence + 1) end,
      submitted_at = case when not slot.takes_bytes then ${at}::timestamptz end
    from picked join slot using (ordinal)
    join generation.generations g on g.account_id = picked.account_id and g.id = picked.id
    where t.account_id = picked.account_id and t.id = picked.id and t.step = 'queue'
    returning ${joinedColumns(tx)}`;
  return rows.map((row) => {
    if (row.submitToken === null) return row;
    const isBegun = row.kind === "image" && row.status === "pending";
    const shown = isBegun ? ({ status: "processing", startedAt: at } as const) : {};
    return { ...row, ...shown, isUnsent: true };
  });
}
