/** Who waits in generation.generations for a place at an upstream, who has one, and giving places out. */
import type { Db, Transaction } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#runtime/mode.ts";
import { addMs } from "#runtime/clock.ts";
import type { GenerationRow, KindName } from "../domain/generation.ts";
import { COLUMNS } from "./generations.ts";

/** A model's queue. */
export type Queue = { mode: ModeName; model: string; kind: KindName };

/** What a place is written down as. */
export type SlotFields = { provider: string; credential: string; upstream_model: string };

/** The queues that somebody waits in: one step on the index for each. */
export function listQueues(sql: Db): Promise<Queue[]> {
  return sql<Queue[]>`
    with recursive lane as (
      (select mode, model, kind from generation.generations where step = 'queue'
        order by mode, model limit 1)
      union all
      select next.mode, next.model, next.kind from lane cross join lateral (
        select g.mode, g.model, g.kind from generation.generations g
        where g.step = 'queue' and (g.mode, g.model) > (lane.mode, lane.model)
        order by g.mode, g.model limit 1) next
    )
    select mode, model, kind from lane`;
}

/** A worker that is paused while it has the lock loses it, with its transaction, after this long. */
const LOCKED_AT_MOST_MS = 5_000;

/** Places are given out by one transaction at a time, so that counting and giving is one thing. */
export async function lockSlots(tx: Transaction): Promise<void> {
  // The limit begins with the lock, whatever the session does meanwhile; its wait for the lock does not count.
  await tx`
    select pg_advisory_xact_lock(hashtextextended('generation.places', 0)),
      set_config('transaction_timeout', ${`${LOCKED_AT_MOST_MS}ms`}, true)`;
}

export type OccupiedSlots = { credential: string; upstream_model: string; placed: number };

/** How many tasks these credentials have now, by model; read from the index of the placed alone. */
export function countOccupiedSlots(
  sql: Db,
  credentials: readonly string[],
): Promise<OccupiedSlots[]> {
  return sql<OccupiedSlots[]>`
    select credential, upstream_model, count(*)::int as placed from generation.generations
    where step in ('submit', 'poll') and credential is not null
      and credential = any(${credentials as string[]}::text[])
    group by credential, upstream_model`;
}

export type QueuedAccount = { account_id: string; room: number };

/** The next accounts that wait in a queue, round from behind `after`, and how many more tasks each may have. */
export function listQueuedAccounts(
  sql: Db,
  { mode, model, kind }: Queue,
  after: string,
  limits: { accounts: number; accountConcurrency: number },
): Promise<QueuedAccount[]> {
  return sql<QueuedAccount[]>`
    with recursive visited as (
      select ${after}::text as account_id, false as is_round, 0 as turn
      union all
      select next.account_id, next.is_round, v.turn + 1 from visited v cross join lateral (
        (select g.account_id, v.is_round as is_round from generation.generations g
          where g.step = 'queue' and g.mode = ${mode} and g.model = ${model} and g.account_id > v.account_id
            and (not v.is_round or g.account_id <= ${after})
          order by g.account_id limit 1)
        union all
        (select g.account_id, true from generation.generations g
          where not v.is_round and g.step = 'queue' and g.mode = ${mode} and g.model = ${model}
            and g.account_id <= ${after}
          order by g.account_id limit 1)
        order by is_round limit 1) next
      where v.turn < ${limits.accounts}
    )
    select v.account_id, ${limits.accountConcurrency}::int - (
      select count(*)::int from (
        select from generation.generations g
        where g.account_id = v.account_id and g.mode = ${mode} and g.kind = ${kind}
          and g.step in ('submit', 'poll') and g.credential is not null
        limit ${limits.accountConcurrency}) placed) as room
    from visited v where v.turn > 0 order by v.turn`;
}

/** Gives each account's oldest waiting tasks the places, in order, and leases them to this worker. */
export function assignSlots(
  tx: Transaction,
  lane: Queue,
  accounts: readonly { account_id: string; take: number }[],
  places: readonly SlotFields[],
  at: Date,
  leaseMs: number,
): Promise<GenerationRow[]> {
  const columns = COLUMNS.map((column) => `g.${column}`);
  return tx<GenerationRow[]>`
    with picked as (
      select waiting.account_id, waiting.id, row_number() over () as place
      from unnest(${accounts.map((one) => one.account_id)}::text[], ${accounts.map((one) => one.take)}::int[])
        as asked (account_id, take)
      cross join lateral (
        select q.account_id, q.id from generation.generations q
        where q.step = 'queue' and q.mode = ${lane.mode} and q.model = ${lane.model}
          and q.account_id = asked.account_id and q.next_step_at > ${at}
        order by q.created_at, q.id limit asked.take) waiting
    )
    update generation.generations g
    set step = 'submit', fence = g.fence + 1, lease_until = ${addMs(at, leaseMs)}, next_step_at = ${at},
      provider = (${places.map((one) => one.provider)}::text[])[picked.place],
      credential = (${places.map((one) => one.credential)}::text[])[picked.place],
      upstream_model = (${places.map((one) => one.upstream_model)}::text[])[picked.place]
    from picked
    where g.account_id = picked.account_id and g.id = picked.id and g.step = 'queue'
    returning ${tx(columns)}`;
}
