/** Gives waiting tasks places at upstreams: within every limit, and to all accounts in turn. */
import { addMs } from "#runtime/clock.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import type { Deps } from "../deps.ts";
import { fairShare } from "../domain/fair-share.ts";
import type { GenerationRow } from "../domain/generation.ts";
import type { Upstream } from "../upstreams/index.ts";
import { findCredentials, holdCredential } from "../store/credentials.ts";
import {
  countOccupiedSlots,
  listQueuedAccounts,
  listQueues,
  lockSlots,
  assignSlots,
} from "../store/slots.ts";
import type { Queue, SlotFields } from "../store/slots.ts";
import { updateGenerationsIfHeld } from "../store/steps.ts";
import type { StepChange } from "../store/steps.ts";
import { capacityOf } from "./capacity.ts";
import type { Capacity } from "./capacity.ts";

/** Accounts that one look at a queue passes: those at their limit cost a look each and get nothing. */
const ACCOUNTS_A_LOOK = 256;
/** An upstream that says "later" is left alone for at most this long at a time. */
const MAX_PAUSE_MS = 60_000;

/** Takes waiting tasks out of their queues, at most `limit`, leased to this worker. */
export type ClaimQueued = (limit: number, leaseMs: number) => Promise<GenerationRow[]>;

/** One a worker: it remembers whose turn it is. */
export function createClaimQueued(deps: Deps, full: () => string[]): ClaimQueued {
  const turns = new Map<string, string>();
  let looks = 0;

  const claimFromQueue = async (
    tx: Transaction,
    lane: Queue,
    room: Capacity,
    limit: number,
    leaseMs: number,
  ): Promise<GenerationRow[]> => {
    const routes = takeSlots(deps, lane, room, limit, full());
    if (routes.length === 0) return [];
    const key = `${lane.mode} ${lane.model}`;
    const accounts = await listQueuedAccounts(tx, lane, turns.get(key) ?? "", {
      accounts: ACCOUNTS_A_LOOK,
      accountConcurrency: deps.accountConcurrency,
    });
    const wanted = accounts.map((one) => Math.max(one.room, 0));
    const shares = fairShare(wanted, routes.length);
    const asked = accounts.flatMap(({ account_id }, index) => {
      const take = shares[index] ?? 0;
      return take > 0 ? [{ account_id, take }] : [];
    });
    const last = asked.at(-1) ?? accounts.at(-1);
    if (last) turns.set(key, last.account_id);
    const rows =
      asked.length === 0
        ? []
        : await assignSlots(tx, lane, asked, routes.map(slotFieldsOf), deps.clock.now(), leaseMs);
    for (const route of unused(routes, rows)) room.release(route);
    return rows;
  };

  return async (limit, leaseMs) => {
    const lanes = (await listQueues(deps.sql)).filter(
      ({ mode, model }) => deps.upstreams.available(mode, model).length > 0,
    );
    if (lanes.length === 0 || limit <= 0) return [];
    return deps.sql.begin(async (tx) => {
      const room = await lockCapacity(deps, tx, lanes);
      const rows: GenerationRow[] = [];
      const first = looks++ % lanes.length;
      for (const [index, lane] of [...lanes.slice(first), ...lanes.slice(0, first)].entries()) {
        const share = Math.ceil((limit - rows.length) / (lanes.length - index));
        rows.push(...(await claimFromQueue(tx, lane, room, share, leaseMs)));
      }
      await saveRateLimits(tx, room);
      return rows;
    });
  };
}

/** Moves a task's place to the first of `routes` that has one, with `change`. */
export async function moveSlot(
  deps: Deps,
  row: GenerationRow,
  routes: readonly Upstream[],
  change: StepChange,
): Promise<{ route: Upstream; row: GenerationRow } | undefined> {
  if (routes.length === 0) return undefined;
  return deps.sql.begin(async (tx) => {
    const room = await lockCapacity(deps, tx, [row]);
    const route = room.take(routes);
    if (!route) return undefined;
    const placed = { ...change, ...slotFieldsOf(route) };
    const [isHeld] = await updateGenerationsIfHeld(tx, [{ row, change: placed }]);
    await saveRateLimits(tx, room);
    return isHeld ? { route, row: { ...row, ...placed } } : undefined;
  });
}

/** The upstream asks for a pause: nobody sends it anything until it is over. */
export async function pauseCredential(deps: Deps, route: Upstream, pauseMs: number): Promise<void> {
  const until = addMs(deps.clock.now(), Math.min(pauseMs, MAX_PAUSE_MS));
  await holdCredential(deps.sql, route.credential, until);
}

function slotFieldsOf(route: Upstream): SlotFields {
  return {
    provider: route.name,
    credential: route.credential,
    upstream_model: route.upstreamModel,
  };
}

/** A route for each of up to `limit` tasks; asked for one by one, so that routes of one priority share them. */
function takeSlots(
  deps: Deps,
  lane: Queue,
  room: Capacity,
  limit: number,
  without: readonly string[],
): Upstream[] {
  const routes: Upstream[] = [];
  while (routes.length < limit) {
    const open = deps.upstreams.available(lane.mode, lane.model);
    const route = room.take(open.filter(({ credential }) => !without.includes(credential)));
    if (!route) break;
    routes.push(route);
  }
  return routes;
}

function unused(routes: readonly Upstream[], rows: readonly GenerationRow[]): Upstream[] {
  const used = rows.map(({ provider }) => provider);
  return routes.filter(({ name }) => {
    const index = used.indexOf(name);
    if (index >= 0) used.splice(index, 1);
    return index < 0;
  });
}

async function lockCapacity(
  deps: Deps,
  tx: Transaction,
  lanes: readonly Pick<Queue, "mode" | "model">[],
): Promise<Capacity> {
  const routes = lanes.flatMap(({ mode, model }) => deps.upstreams.available(mode, model));
  const isLimited = ({ limits }: Upstream) =>
    limits.credentialConcurrency !== undefined || limits.modelConcurrency !== undefined;
  const [limited, all] = [routes.filter(isLimited), routes].map((some) => [
    ...new Set(some.map(({ credential }) => credential)),
  ]);
  await lockSlots(tx);
  const placed = limited?.length ? await countOccupiedSlots(tx, limited) : [];
  return capacityOf(placed, await findCredentials(tx, all ?? []), deps.clock.now());
}

async function saveRateLimits(tx: Transaction, room: Capacity): Promise<void> {
  for (const { credential, free_at } of room.rateLimits())
    await holdCredential(tx, credential, free_at);
}
