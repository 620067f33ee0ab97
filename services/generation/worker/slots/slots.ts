/** Assigns slots at upstreams to queued tasks: within every limit, and to all accounts in turn. */
import { addMs, type Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql, Transaction } from "#runtime/postgres/connect.ts";
import { fairShare } from "../../domain/fair-share.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { pauseOf } from "../../domain/pause.ts";
import { findCredentials, holdCredential } from "../../store/credentials.ts";
import { lockCredentials, tryLockAccounts, tryLockCredentials } from "../../store/slot-locks.ts";
import {
  assignSlots,
  countFreeSlots,
  countOccupiedSlots,
  listQueuedAccounts,
  listQueues,
  type Queue,
  type QueuedAccount,
  type Slot,
  type SlotFields,
} from "../../store/slots.ts";
import { updateTasksIfHeld, type StepChange } from "../../store/steps.ts";
import type { Upstream, Upstreams } from "../../upstreams/upstreams.ts";
import type { Pictures } from "../pictures/pictures.ts";
import type { Shares } from "./bulkheads.ts";
import { capacityOf, type Capacity } from "./capacity.ts";

export type SlotDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  upstreams: Pick<Upstreams, "available">;
  pictures: Pick<Pictures, "freeSlots">;
  /** How many tasks of one kind an account may have at upstreams at the same time, in each mode. */
  accountConcurrency: number;
};

/** How many accounts one claim reads from a queue; those at their limit are read and get nothing. */
const MAX_ACCOUNTS_PER_CLAIM = 256;

/** Takes waiting tasks out of their queues, at most `limit`, leased to this worker. */
export type ClaimQueued = (
  limit: number,
  leaseMs: number,
  shares: Shares,
) => Promise<GenerationRow[]>;

/** One for each worker: it remembers which account and which queue come next. */
export function createClaimQueued(deps: SlotDeps): ClaimQueued {
  const lastAccounts = new Map<string, string>();
  let claims = 0;

  /** Shares the slots among those of the accounts that no other worker serves at this moment. */
  const assign = async (
    tx: Transaction,
    queue: Queue,
    waiting: readonly QueuedAccount[],
    slots: readonly Upstream[],
    leaseMs: number,
  ): Promise<GenerationRow[]> => {
    const mayFetch = slots.some(({ provider }) => provider.takesBytes);
    // A task that may not fetch its pictures yet would hold its slot while it waits for that.
    const wantedBy = ({ accountId, free }: QueuedAccount) =>
      Math.max(mayFetch ? Math.min(free, deps.pictures.freeSlots(accountId)) : free, 0);
    // Twice as many as can be served, because other workers may have locked some.
    const below = waiting
      .filter((one) => wantedBy(one) > 0)
      .slice(0, 2 * slots.length)
      .map(({ accountId }) => accountId);
    // Sent together, in this order: another worker may have assigned slots to an account before it was locked.
    const [locked, counted] = await Promise.all([
      tryLockAccounts(tx, below, slots.length),
      countFreeSlots(tx, queue, below, deps.accountConcurrency),
    ]);
    const accounts = counted.filter(({ accountId }) => locked.includes(accountId));
    const shares = fairShare(accounts.map(wantedBy), slots.length);
    const served = accounts.flatMap(({ accountId }, index) => {
      const take = shares[index] ?? 0;
      return take > 0 ? [{ accountId, take }] : [];
    });
    const last = served.at(-1) ?? waiting.at(-1);
    if (last) lastAccounts.set(keyOf(queue), last.accountId);
    if (served.length === 0) return [];
    return assignSlots(tx, queue, served, slots.map(slotOf), deps.clock.now(), leaseMs);
  };

  /** Nothing if another worker assigns slots of one of the queue's credentials at this moment. */
  const claimFromQueue = async (queue: Queue, limit: number, leaseMs: number, shares: Shares) => {
    const { accountConcurrency } = deps;
    const after = lastAccounts.get(keyOf(queue)) ?? "";
    const limits = { accounts: MAX_ACCOUNTS_PER_CLAIM, accountConcurrency };
    const waiting = await listQueuedAccounts(deps.sql, queue, after, limits);
    const below = waiting.filter(({ free }) => free > 0);
    if (below.length === 0) {
      // Every create of an account at its limit wakes the worker for this; it costs no transaction.
      const last = waiting.at(-1);
      if (last) lastAccounts.set(keyOf(queue), last.accountId);
      return [];
    }
    return deps.sql.begin(async (tx) => {
      const upstreams = deps.upstreams.available(queue.mode, queue.model);
      const [isLocked, capacity] = await Promise.all([
        tryLockCredentials(tx, credentialsOf(upstreams.filter(isLimited))),
        readCapacity(deps, tx, upstreams),
      ]);
      if (!isLocked) return [];
      const slots = takeSlots(deps, queue, capacity, limit, shares);
      const rows = slots.length === 0 ? [] : await assign(tx, queue, below, slots, leaseMs);
      for (const slot of unassigned(slots, rows)) {
        capacity.release(slot);
        shares.take(slot.credential, -1);
      }
      await saveRateLimits(tx, capacity);
      return rows;
    });
  };

  return async (limit, leaseMs, shares) => {
    const queues = (await listQueues(deps.sql)).filter(
      ({ mode, model }) => deps.upstreams.available(mode, model).length > 0,
    );
    const first = claims++ % Math.max(queues.length, 1);
    const inTurn = [...queues.slice(first), ...queues.slice(0, first)];
    const rows: GenerationRow[] = [];
    for (const [index, queue] of inTurn.entries()) {
      const share = Math.ceil((limit - rows.length) / (queues.length - index));
      if (share <= 0) break;
      try {
        rows.push(...(await claimFromQueue(queue, share, leaseMs, shares)));
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

/**
 * Moves a task to a slot at the first of `upstreams` that has one, and writes `change` with it. Undefined if none has
 * one or another worker has the row.
 */
export async function moveSlot(
  deps: SlotDeps,
  row: GenerationRow,
  upstreams: readonly Upstream[],
  change: StepChange,
): Promise<{ upstream: Upstream; row: GenerationRow } | undefined> {
  if (upstreams.length === 0) return undefined;
  return deps.sql.begin(async (tx) => {
    await lockCredentials(tx, credentialsOf(upstreams.filter(isLimited)));
    const capacity = await readCapacity(deps, tx, upstreams);
    const upstream = capacity.take(upstreams);
    if (!upstream) return undefined;
    const moved = { ...change, ...slotFieldsOf(upstream) };
    const [isHeld] = await updateTasksIfHeld(tx, [{ row, change: moved }]);
    await saveRateLimits(tx, capacity);
    return isHeld ? { upstream, row: { ...row, ...moved } } : undefined;
  });
}

/** Sends the upstream's account nothing for `pauseMs`, at most a minute, from any worker. */
export async function pauseCredential(
  deps: SlotDeps,
  { credential }: Upstream,
  pauseMs: number,
): Promise<void> {
  const until = addMs(deps.clock.now(), pauseOf(pauseMs));
  await holdCredential(deps.sql, credential, until);
}

function keyOf({ mode, model }: Queue): string {
  return `${mode} ${model}`;
}

function slotOf(upstream: Upstream): Slot {
  return { ...slotFieldsOf(upstream), takesBytes: upstream.provider.takesBytes === true };
}

function slotFieldsOf(upstream: Upstream): SlotFields {
  return {
    upstream: upstream.name,
    credential: upstream.credential,
    upstreamModel: upstream.upstreamModel,
  };
}

/** Takes up to `limit` slots. `available` is asked for each, so that upstreams of one priority share them by weight. */
function takeSlots(
  deps: SlotDeps,
  queue: Queue,
  capacity: Capacity,
  limit: number,
  shares: Shares,
): Upstream[] {
  const slots: Upstream[] = [];
  while (slots.length < limit) {
    const available = deps.upstreams.available(queue.mode, queue.model);
    const slot = capacity.take(available.filter(({ credential }) => shares.free(credential) > 0));
    if (!slot) break;
    shares.take(slot.credential, 1);
    slots.push(slot);
  }
  return slots;
}

function unassigned(slots: readonly Upstream[], rows: readonly GenerationRow[]): Upstream[] {
  const assigned = rows.map(({ upstream }) => upstream);
  return slots.filter(({ name }) => {
    const index = assigned.indexOf(name);
    if (index >= 0) assigned.splice(index, 1);
    return index < 0;
  });
}

/** For upstreams whose credentials are locked. */
async function readCapacity(
  deps: SlotDeps,
  tx: Transaction,
  upstreams: readonly Upstream[],
): Promise<Capacity> {
  const counted = credentialsOf(upstreams.filter(isCounted));
  const [occupied, credentials] = await Promise.all([
    counted.length > 0 ? countOccupiedSlots(tx, counted) : [],
    findCredentials(tx, credentialsOf(upstreams)),
  ]);
  return capacityOf(occupied, credentials, deps.clock.now());
}

function isCounted({ limits }: Upstream): boolean {
  return limits.credentialConcurrency !== undefined || limits.modelConcurrency !== undefined;
}

function isLimited(upstream: Upstream): boolean {
  return isCounted(upstream) || upstream.limits.submitsPerSecond !== undefined;
}

function credentialsOf(upstreams: readonly Upstream[]): string[] {
  return [...new Set(upstreams.map(({ credential }) => credential))];
}

async function saveRateLimits(tx: Transaction, capacity: Capacity): Promise<void> {
  for (const { credential, freeAt } of capacity.rateLimits()) {
    await holdCredential(tx, credential, freeAt);
  }
}
