/** Sends webhooks that are due: claims lanes of them by host, and works each lane off. */
import type { Dispatcher } from "undici";
import { addMs } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import type { DueWork } from "#runtime/due-loop.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { claimDeliveries, releaseIfLeased } from "../store/webhook-claims.ts";
import type { ClaimedDelivery } from "../store/webhook-claims.ts";
import { attemptWriter } from "./attempt-writer.ts";
import { claimedKeys } from "./claimed-keys.ts";
import { workLane } from "./host-slot.ts";
import type { Lane } from "./host-slot.ts";
import type { SecretBox } from "./secret-box.ts";
import { slowHosts } from "./slow-hosts.ts";

export type SenderDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  secretBox: SecretBox;
  /** In [0, 1): the jitter of the schedule. */
  random: () => number;
  /** Refuses addresses that are not public. */
  agent: Dispatcher;
};

/** Attempts of this process in flight. */
const LANES = 256;
/** Attempts in flight to one host, of all processes. */
const LANES_OF_HOST = 4;
/** Deliveries that a claim may take, and those of one lane: sent one after the other. */
const MOST_ROWS = 1_024;
const DEPTH = 64;
const IDLE_MS = 1_000;
const REST_MS = 10;
/** Longer than an attempt can take, so that a lease outlives everything but a crash. */
const LEASE_MS = 60_000;

/** The work of a due loop (see startDueLoop) over lanes. */
export function webhookSender(deps: SenderDeps): DueWork<Lane> {
  const { sql, clock, log } = deps;
  const slow = slowHosts();
  const writeAttempt = attemptWriter(deps);
  let afterHost = "";

  const claimSome = async (hosts: number) => {
    const now = clock.now();
    const leaseUntil = addMs(now, LEASE_MS);
    const claim = { now, leaseUntil, afterHost, hosts, slowHosts: slow.list(), rows: MOST_ROWS };
    const rows = await claimDeliveries(sql, { ...claim, lanesOfHost: LANES_OF_HOST, depth: DEPTH });
    const claimed = rows.filter((row) => row.lane !== null);
    const keysOf = await claimedKeys(deps, claimed).catch(async (error: unknown) => {
      await releaseIfLeased(sql, claimed, { wereSent: false });
      throw error;
    });
    const lanes = lanesOf(claimed, { leaseUntil, keysOf });
    const isMore =
      lanes.length < rows.length || new Set(lanes.map(({ host }) => host)).size >= hosts;
    return { lanes, isMore };
  };

  return {
    name: "webhook sender",
    concurrency: LANES,
    idleMs: IDLE_MS,
    restMs: REST_MS,
    async claim(limit) {
      const all: Lane[] = [];
      for (let isMore = true; isMore && all.length < limit;) {
        const hosts = Math.ceil((limit - all.length) / LANES_OF_HOST);
        const some = await claimSome(hosts).catch((error: unknown) => {
          if (all.length === 0) throw error;
          log.warn({ err: error }, "cannot look for more webhooks now");
          return { lanes: [], isMore: false };
        });
        all.push(...some.lanes);
        // What was claimed does not wait until all that disabled URLs stopped has ended.
        isMore = some.isMore && (some.lanes.length > 0 || all.length === 0);
        afterHost = some.lanes.at(-1)?.host ?? afterHost;
      }
      return all;
    },
    async work(lane, signal) {
      const isFast = await workLane({ ...deps, writeAttempt }, lane, signal);
      slow.note(lane.host, !isFast);
    },
  };
}

/** Rows come host by host and lane by lane. */
function lanesOf(
  rows: readonly ClaimedDelivery[],
  shared: Pick<Lane, "leaseUntil" | "keysOf">,
): Lane[] {
  const lanes = Map.groupBy(rows, ({ host, lane }) => `${lane} ${host}`);
  return [...lanes.values()].map((deliveries) => ({
    ...shared,
    host: deliveries[0]?.host ?? "",
    deliveries,
  }));
}
