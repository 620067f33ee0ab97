/** Assigns slots at upstreams to queued tasks, and pauses upstreams' accounts. */
import { addMs, type Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { PICTURE_FIELDS } from "../../domain/input-urls.ts";
import { pauseOf } from "../../domain/pause.ts";
import { holdCredential } from "../../store/credentials.ts";
import { assignSlots, listQueues, moveSlot, type SlotOffer } from "../../store/slots.ts";
import type { Upstream, Upstreams } from "../../upstreams/upstreams.ts";
import type { Shares } from "./bulkheads.ts";

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
