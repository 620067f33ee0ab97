/** Assigns slots at upstreams to queued tasks: within every limit, and to all accounts in turn. */
import { addMs } from "#runtime/clock.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import type { Deps } from "../deps.ts";
import { fairShare } from "../domain/fair-share.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { findCredentials, holdCredential } from "../store/credentials.ts";
import {
  assignSlots,
  countOccupiedSlots,
  listQueuedAccounts,
  listQueues,
  lockSlots,
} from "../store/slots.ts";
import type { Queue, SlotFields } from "../store/slots.ts";
import { updateGenerationsIfHeld } from "../store/steps.ts";
import type { StepChange } from "../store/steps.ts";
import type { Upstream } from "../upstreams/index.ts";
import { capacityOf } from "./capacity.ts";
import type { Capacity } from "./capacity.ts";

/** How many accounts one claim reads from a queue; those at their limit are read and get nothing. */
const MAX_ACCOUNTS_PER_CLAIM = 256;
/** The longest pause that an upstream can ask for. */
const MAX_PAUSE_MS = 60_000;

/** Takes waiting tasks out of their queues, at most `limit`, leased to this worker. */
export type ClaimQueued = (limit: number, leaseMs: number) => Promise<GenerationRow[]>;

/** One for each worker: it remembers which account and which queue come next. */
export function createClaimQueued(deps: Deps, fullCredentials: () => string[]): ClaimQueued {
  const lastAccounts = new Map<string, string>();
  let claims = 0;

  const claimFromQueue = async (
    tx: Transaction,
    queue: Queue,
    capacity: Capacity,
    limit: number,
    leaseMs: number,
  ): Promise<GenerationRow[]> => {
    const slots = takeSlots(deps, queue, capacity, limit, fullCredentials());
    if (slots.length === 0) return [];
    const key = `${queue.mode} ${queue.model}`;
    const accounts = await listQueuedAccounts(tx, queue, lastAccounts.get(key) ?? "", {
      accounts: MAX_ACCOUNTS_PER_CLAIM,
      accountConcurrency: deps.accountConcurrency,
    });
    const wanted = accounts.map(({ free }) => Math.max(free, 0));
    const shares = fairShare(wanted, slots.length);
    const served = accounts.flatMap(({ accountId }, index) => {
      const take = shares[index] ?? 0;
      return take > 0 ? [{ accountId, take }] : [];
    });
    const last = served.at(-1) ?? accounts.at(-1);
    if (last) lastAccounts.set(key, last.accountId);
    const rows =
      served.length === 0
        ? []
        : await assignSlots(tx, queue, served, slots.map(slotFieldsOf), deps.clock.now(), leaseMs);
    for (const slot of unassigned(slots, rows)) capacity.release(slot);
    return rows;
  };

  return async (limit, leaseMs) => {
    const queues = (await listQueues(deps.sql)).filter(
      ({ mode, model }) => deps.upstreams.available(mode, model).length > 0,
    );
    if (queues.length === 0 || limit <= 0) return [];
    return deps.sql.begin(async (tx) => {
      const capacity = await lockCapacity(deps, tx, queues);
      const rows: GenerationRow[] = [];
      const first = claims++ % queues.length;
      const inTurn = [...queues.slice(first), ...queues.slice(0, first)];
      for (const [index, queue] of inTurn.entries()) {
        const share = Math.ceil((limit - rows.length) / (queues.length - index));
        rows.push(...(await claimFromQueue(tx, queue, capacity, share, leaseMs)));
      }
      await saveRateLimits(tx, capacity);
      return rows;
    });
  };
}

/**
 * Moves a task to a slot at the first of `upstreams` that has one, and writes `change` with it. Undefined if none has
 * one or another worker has the row.
 */
export async function moveSlot(
  deps: Deps,
  row: GenerationRow,
  upstreams: readonly Upstream[],
  change: StepChange,
): Promise<{ upstream: Upstream; row: GenerationRow } | undefined> {
  if (upstreams.length === 0) return undefined;
  return deps.sql.begin(async (tx) => {
    const capacity = await lockCapacity(deps, tx, [row]);
    const upstream = capacity.take(upstreams);
    if (!upstream) return undefined;
    const moved = { ...change, ...slotFieldsOf(upstream) };
    const [isHeld] = await updateGenerationsIfHeld(tx, [{ row, change: moved }]);
    await saveRateLimits(tx, capacity);
    return isHeld ? { upstream, row: { ...row, ...moved } } : undefined;
  });
}

/** Sends the upstream's account nothing for `pauseMs`, at most a minute, from any worker. */
export async function pauseCredential(
  deps: Deps,
  { credential }: Upstream,
  pauseMs: number,
): Promise<void> {
  const until = addMs(deps.clock.now(), Math.min(pauseMs, MAX_PAUSE_MS));
  await holdCredential(deps.sql, credential, until);
}

function slotFieldsOf(upstream: Upstream): SlotFields {
  return {
    provider: upstream.name,
    credential: upstream.credential,
    upstreamModel: upstream.upstreamModel,
  };
}

/** Takes up to `limit` slots. `available` is asked for each, so that upstreams of one priority share them by weight. */
function takeSlots(
  deps: Deps,
  queue: Queue,
  capacity: Capacity,
  limit: number,
  excludedCredentials: readonly string[],
): Upstream[] {
  const slots: Upstream[] = [];
  while (slots.length < limit) {
    const available = deps.upstreams.available(queue.mode, queue.model);
    const slot = capacity.take(
      available.filter(({ credential }) => !excludedCredentials.includes(credential)),
    );
    if (!slot) break;
    slots.push(slot);
  }
  return slots;
}

function unassigned(slots: readonly Upstream[], rows: readonly GenerationRow[]): Upstream[] {
  const assigned = rows.map(({ provider }) => provider);
  return slots.filter(({ name }) => {
    const index = assigned.indexOf(name);
    if (index >= 0) assigned.splice(index, 1);
    return index < 0;
  });
}

/** From here to the end of the transaction no other worker assigns slots. */
async function lockCapacity(
  deps: Deps,
  tx: Transaction,
  queues: readonly Pick<Queue, "mode" | "model">[],
): Promise<Capacity> {
  const upstreams = queues.flatMap(({ mode, model }) => deps.upstreams.available(mode, model));
  const limited = upstreams.filter(
    ({ limits }) =>
      limits.credentialConcurrency !== undefined || limits.modelConcurrency !== undefined,
  );
  await lockSlots(tx);
  const occupied = limited.length > 0 ? await countOccupiedSlots(tx, credentialsOf(limited)) : [];
  const credentials = await findCredentials(tx, credentialsOf(upstreams));
  return capacityOf(occupied, credentials, deps.clock.now());
}

function credentialsOf(upstreams: readonly Upstream[]): string[] {
  return [...new Set(upstreams.map(({ credential }) => credential))];
}

async function saveRateLimits(tx: Transaction, capacity: Capacity): Promise<void> {
  for (const { credential, freeAt } of capacity.rateLimits()) {
    await holdCredential(tx, credential, freeAt);
  }
}
