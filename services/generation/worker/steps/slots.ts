/** Assigns slots at upstreams to queued tasks, and limits each credential's part of a process. */
import type { GenerationRow } from "../../domain/generation.ts";
import { assignSlots, listQueues, moveSlot, type SlotOffer } from "../../store/slots.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import type { Deps } from "./step.ts";

/** A worker that does not renew its lease within this time loses the row. */
export const LEASE_MS = 10_000;

/** Takes up to `limit` tasks from queues, leased to this worker. One for each worker: it remembers whose turn it is. */
export function createClaimQueued(deps: Deps) {
  const lastAccounts = new Map<string, string>();
  let claims = 0;
  return async (limit: number, bulkheads: Bulkheads): Promise<GenerationRow[]> => {
    const { sql, clock, accountConcurrency } = deps;
    const queues = (await listQueues(sql)).flatMap((queue) => {
      const upstreams = deps.upstreams.of(queue.mode, queue.model);
      return upstreams.length > 0 ? [{ queue, upstreams }] : [];
    });
    const full = new Set(bulkheads.full());
    const first = claims++ % Math.max(queues.length, 1);
    const inTurn = [...queues.slice(first), ...queues.slice(0, first)];
    const rows: GenerationRow[] = [];
    for (const [index, { queue, upstreams }] of inTurn.entries()) {
      const rowLimit = Math.ceil((limit - rows.length) / (queues.length - index));
      if (rowLimit <= 0) break;
      const key = `${queue.mode} ${queue.model}`;
      const offers = upstreams
        .filter(({ credential }) => !full.has(credential))
        .map((one) => offerOf(one, Math.min(bulkheads.free(one.credential), rowLimit)));
      if (offers.length === 0) continue;
      try {
        const { rows: taken, lastAccount } = await assignSlots(sql, {
          queue,
          offers,
          accountLimit: accountConcurrency,
          limit: rowLimit,
          after: lastAccounts.get(key) ?? "",
          at: clock.now(),
          leaseMs: LEASE_MS,
        });
        if (lastAccount !== undefined) lastAccounts.set(key, lastAccount);
        for (const row of taken) bulkheads.take(row);
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
  { sql, clock }: Deps,
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
  const takesBytes = provider.takesBytes === true;
  return { ...limits, name, credential, upstreamModel, priority, weight, capacity, takesBytes };
}

export type Bulkheads = ReturnType<typeof createBulkheads>;

/** Below this part of its limit a credential is full. */
const MIN_FREE_PART = 1 / 8;

/**
 * Limits each credential's part of a process, so that upstreams that hang never occupy all of them. A credential may have
 * half of what the others leave: one alone has half of all, and each of `n` that hang has one part of `n + 1`, so that one
 * part is left. `concurrency`: how many rows the process works on at the same time.
 */
export function createBulkheads(concurrency: number) {
  const counts = new Map<string, number>();
  let total = 0;
  const countOf = (credential: string) => counts.get(credential) ?? 0;
  const limitOf = (credential: string) =>
    Math.max(1, Math.floor((concurrency - (total - countOf(credential))) / 2));
  /** How many more rows of the credential may be taken. */
  const free = (credential: string) => Math.max(limitOf(credential) - countOf(credential), 0);
  type Row = Pick<GenerationRow, "credential">;
  const add = ({ credential }: Row, change: number) => {
    total += change;
    if (credential !== null) counts.set(credential, countOf(credential) + change);
  };
  return {
    free,
    /** The credentials with little of their limit free: they wait for more, and others are claimed between. */
    full: () => [...counts.keys()].filter((one) => free(one) < limitOf(one) * MIN_FREE_PART),
    take: (row: Row) => add(row, 1),
    release: (row: Row) => add(row, -1),
  };
}
