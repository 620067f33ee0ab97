/** Assigns slots at upstreams to queued tasks, pauses upstreams' accounts, and limits each one's part of a process. */
import { addMs, type Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { PICTURE_FIELDS } from "../../domain/input-urls.ts";
import { pauseOf } from "../../domain/waits.ts";
import {
  assignSlots,
  holdCredential,
  listQueues,
  moveSlot,
  type SlotOffer,
} from "../../store/slots.ts";
import type { Upstream, Upstreams } from "../../upstreams/upstreams.ts";

export type SlotDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  upstreams: Pick<Upstreams, "available">;
  /** How many tasks of one kind an account may have at upstreams at the same time, in each mode. */
  accountConcurrency: number;
};

/** A worker that does not renew its lease within this time loses the row. */
export const LEASE_MS = 10_000;

/** Takes waiting tasks out of their queues, at most `limit`, leased to this worker. */
export type ClaimQueued = (limit: number, shares: Shares) => Promise<GenerationRow[]>;

/** One for each worker: it remembers which accounts it looked at, and which queue comes first. */
export function createClaimQueued(deps: SlotDeps): ClaimQueued {
  const lastAccounts = new Map<string, string>();
  let claims = 0;
  return async (limit, shares) => {
    const { sql, clock, accountConcurrency } = deps;
    const queues = (await listQueues(sql)).flatMap((queue) => {
      const upstreams = deps.upstreams.available(queue.mode, queue.model);
      return upstreams.length > 0 ? [{ queue, upstreams }] : [];
    });
    const first = claims++ % Math.max(queues.length, 1);
    const inTurn = [...queues.slice(first), ...queues.slice(0, first)];
    const rows: GenerationRow[] = [];
    for (const [index, one] of inTurn.entries()) {
      const { queue, upstreams } = one;
      const share = Math.ceil((limit - rows.length) / (queues.length - index));
      if (share <= 0) break;
      const key = `${queue.mode} ${queue.model}`;
      const options = {
        queue,
        accountLimit: accountConcurrency,
        limit: share,
        pictureFields: PICTURE_FIELDS,
        after: lastAccounts.get(key) ?? "",
        at: clock.now(),
        leaseMs: LEASE_MS,
      };
      try {
        const offers = upstreams.map((upstream) =>
          offerOf(upstream, Math.min(shares.free(upstream.credential), share)),
        );
        const { rows: taken, lastAccount } = await assignSlots(sql, { ...options, offers });
        if (lastAccount !== undefined) lastAccounts.set(key, lastAccount);
        for (const { credential } of taken) shares.take(credential ?? "", 1);
        rows.push(...taken);
      } catch (error) {
        // The rows of the other queues are leased to this worker.
        if (rows.length === 0) throw error;
        deps.log.warn({ err: error, ...queue }, "slots could not be assigned, retrying");
        break;
      }
    }
    return rows;
  };
}

/** Gives the task the slot of another upstream, without an intent; undefined if none is free, or the row is lost. */
export async function moveToOther(
  { sql, clock }: SlotDeps,
  row: GenerationRow,
  others: readonly Upstream[],
): Promise<{ upstream: Upstream; row: GenerationRow } | undefined> {
  if (others.length === 0) return undefined;
  const offers = others.map((upstream) => offerOf(upstream, 1));
  const moved = await moveSlot(sql, row, { offers, at: clock.now(), leaseMs: LEASE_MS });
  const upstream = others.find(({ name }) => name === moved?.upstream);
  return moved && upstream && { row: moved, upstream };
}

function offerOf(
  { name, credential, upstreamModel, priority, weight, provider, limits }: Upstream,
  capacity: number,
): SlotOffer {
  const { credentialConcurrency, modelConcurrency, submitsPerSecond } = limits;
  return {
    name,
    credential,
    upstreamModel,
    priority,
    weight,
    capacity,
    takesBytes: provider.takesBytes === true,
    ...(credentialConcurrency === undefined ? {} : { credentialLimit: credentialConcurrency }),
    ...(modelConcurrency === undefined ? {} : { modelLimit: modelConcurrency }),
    ...(submitsPerSecond === undefined ? {} : { intervalMs: 1_000 / submitsPerSecond }),
  };
}

/** Sends the upstream's account nothing for `pauseMs`, at most a minute, from any worker. */
export async function pauseCredential(
  { sql, clock }: SlotDeps,
  { credential }: Upstream,
  pauseMs: number,
): Promise<void> {
  await holdCredential(sql, credential, addMs(clock.now(), pauseOf(pauseMs)));
}

/** What one claim may take of each credential. */
export type Shares = {
  /** How many more rows of the credential may be taken. */
  free: (credential: string) => number;
  /** Counts rows that were taken; a negative count gives them back. */
  take: (credential: string, count: number) => void;
  /** The credentials that have rows in work. */
  inWork: () => string[];
};

/** Limit each credential's part of a process's slots, so that upstreams that hang never occupy all of them. */
export type Bulkheads = {
  shares: () => Shares;
  /** Counts the row for its credential while `work` runs. */
  within: <T>(row: Pick<GenerationRow, "credential">, work: () => Promise<T>) => Promise<T>;
};

/** Below this part of its limit a credential is full: it gets several rows at once, so that others are claimed between. */
const MIN_FREE_PART = 1 / 8;

export const UNLIMITED: Shares = { free: () => Infinity, take: () => {}, inWork: () => [] };

/**
 * A credential may have half of the slots that the others leave: one alone has half of them, and each of `n` that hang
 * has one part of `n + 1`, so that one part is left. `concurrency`: how many rows the process works on at the same time.
 */
export function createBulkheads(concurrency: number): Bulkheads {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    shares: () => sharesOf(concurrency, new Map(counts), total),
    within: async ({ credential }, work) => {
      const add = (change: number) => {
        total += change;
        if (credential !== null) addTo(counts, credential, change);
      };
      add(1);
      try {
        return await work();
      } finally {
        add(-1);
      }
    },
  };
}

function sharesOf(concurrency: number, counts: Map<string, number>, totalBefore: number): Shares {
  let total = totalBefore;
  const countOf = (credential: string) => counts.get(credential) ?? 0;
  const limitOf = (credential: string) =>
    Math.max(1, Math.floor((concurrency - (total - countOf(credential))) / 2));
  const freeOf = (credential: string) => Math.max(limitOf(credential) - countOf(credential), 0);
  const isFull = (credential: string) => freeOf(credential) < limitOf(credential) * MIN_FREE_PART;
  const full = new Set([...counts.keys()].filter(isFull));
  return {
    free: (credential) => (full.has(credential) ? 0 : freeOf(credential)),
    take: (credential, count) => {
      total += count;
      addTo(counts, credential, count);
    },
    inWork: () => [...counts.keys()],
  };
}

function addTo(counts: Map<string, number>, credential: string, change: number): void {
  const count = (counts.get(credential) ?? 0) + change;
  if (count > 0) counts.set(credential, count);
  else counts.delete(credential);
}
