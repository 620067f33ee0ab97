/** Gives waiting tasks places at upstreams: within every limit, and to all accounts in turn. */
import { addMs } from "#runtime/clock.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import type { Deps } from "../deps.ts";
import { fairShare } from "../domain/fair-share.ts";
import type { GenerationRow } from "../domain/generation.ts";
import type { Route } from "../upstreams/index.ts";
import { findCredentials, holdCredential } from "../store/credentials.ts";
import {
  countPlaced,
  listQueuedAccounts,
  listQueuedLanes,
  lockPlaces,
  placeQueued,
} from "../store/slots.ts";
import type { Lane, PlaceWords } from "../store/slots.ts";
import { updateGenerationsIfHeld } from "../store/steps.ts";
import type { StepChange } from "../store/steps.ts";
import { roomOf } from "./capacity.ts";
import type { Room } from "./capacity.ts";

/** Accounts that one look at a queue passes: those at their limit cost a look each and get nothing. */
const ACCOUNTS_A_LOOK = 256;
/** An upstream that says "later" is left alone for at most this long at a time. */
const LONGEST_PAUSE_MS = 60_000;

/** Takes waiting tasks out of their queues, at most `limit`, leased to this worker. */
export type TakeQueued = (limit: number, leaseMs: number) => Promise<GenerationRow[]>;

/** One a worker: it remembers whose turn it is. */
export function createTakeQueued(deps: Deps, full: () => string[]): TakeQueued {
  const turns = new Map<string, string>();
  let looks = 0;

  const takeLane = async (
    tx: Transaction,
    lane: Lane,
    room: Room,
    limit: number,
    leaseMs: number,
  ): Promise<GenerationRow[]> => {
    const routes = takeRoutes(deps, lane, room, limit, full());
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
        : await placeQueued(tx, lane, asked, routes.map(wordsOf), deps.clock.now(), leaseMs);
    for (const route of unused(routes, rows)) room.giveBack(route);
    return rows;
  };

  return async (limit, leaseMs) => {
    const lanes = (await listQueuedLanes(deps.sql)).filter(
      ({ mode, model }) => deps.providers.routes(mode, model).length > 0,
    );
    if (lanes.length === 0 || limit <= 0) return [];
    return deps.sql.begin(async (tx) => {
      const room = await lockRoom(deps, tx, lanes);
      const rows: GenerationRow[] = [];
      const first = looks++ % lanes.length;
      for (const [index, lane] of [...lanes.slice(first), ...lanes.slice(0, first)].entries()) {
        const share = Math.ceil((limit - rows.length) / (lanes.length - index));
        rows.push(...(await takeLane(tx, lane, room, share, leaseMs)));
      }
      await savePace(tx, room);
      return rows;
    });
  };
}

/** Moves a task's place to the first of `routes` that has one, with `change`. */
export async function movePlace(
  deps: Deps,
  row: GenerationRow,
  routes: readonly Route[],
  change: StepChange,
): Promise<{ route: Route; row: GenerationRow } | undefined> {
  if (routes.length === 0) return undefined;
  return deps.sql.begin(async (tx) => {
    const room = await lockRoom(deps, tx, [row]);
    const route = room.take(routes);
    if (!route) return undefined;
    const placed = { ...change, ...wordsOf(route) };
    const [isHeld] = await updateGenerationsIfHeld(tx, [{ row, change: placed }]);
    await savePace(tx, room);
    return isHeld ? { route, row: { ...row, ...placed } } : undefined;
  });
}

/** The upstream asks for a pause: nobody sends it anything until it is over. */
export async function pauseCredential(deps: Deps, route: Route, pauseMs: number): Promise<void> {
  const until = addMs(deps.clock.now(), Math.min(pauseMs, LONGEST_PAUSE_MS));
  await holdCredential(deps.sql, route.credential, until);
}

function wordsOf(route: Route): PlaceWords {
  return {
    provider: route.name,
    credential: route.credential,
    upstream_model: route.upstreamModel,
  };
}

/** A route for each of up to `limit` tasks; asked for one by one, so that routes of one priority share them. */
function takeRoutes(
  deps: Deps,
  lane: Lane,
  room: Room,
  limit: number,
  without: readonly string[],
): Route[] {
  const routes: Route[] = [];
  while (routes.length < limit) {
    const open = deps.providers.routes(lane.mode, lane.model);
    const route = room.take(open.filter(({ credential }) => !without.includes(credential)));
    if (!route) break;
    routes.push(route);
  }
  return routes;
}

function unused(routes: readonly Route[], rows: readonly GenerationRow[]): Route[] {
  const used = rows.map(({ provider }) => provider);
  return routes.filter(({ name }) => {
    const index = used.indexOf(name);
    if (index >= 0) used.splice(index, 1);
    return index < 0;
  });
}

async function lockRoom(
  deps: Deps,
  tx: Transaction,
  lanes: readonly Pick<Lane, "mode" | "model">[],
): Promise<Room> {
  const routes = lanes.flatMap(({ mode, model }) => deps.providers.routes(mode, model));
  const isLimited = ({ limits }: Route) =>
    limits.credentialConcurrency !== undefined || limits.modelConcurrency !== undefined;
  const [limited, all] = [routes.filter(isLimited), routes].map((some) => [
    ...new Set(some.map(({ credential }) => credential)),
  ]);
  await lockPlaces(tx);
  const placed = limited?.length ? await countPlaced(tx, limited) : [];
  return roomOf(placed, await findCredentials(tx, all ?? []), deps.clock.now());
}

async function savePace(tx: Transaction, room: Room): Promise<void> {
  for (const { credential, free_at } of room.pace()) await holdCredential(tx, credential, free_at);
}
