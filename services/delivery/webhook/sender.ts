/** Sends due webhooks: claims free host slots with deliveries, and works through each slot. */
import type { Dispatcher } from "undici";
import { addMs } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import type { DueWork } from "#runtime/due-loop.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import { claimDeliveries, releaseIfLeased } from "../store/webhook-claims.ts";
import { attemptWriter } from "./attempt-writer.ts";
import { workHostSlot } from "./host-slot.ts";
import type { HostSlot } from "./host-slot.ts";
import type { SecretBox } from "./secret-box.ts";
import { loadSigningKeys } from "./signing-keys.ts";
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

/** Host slots that this process works on at once; each has one attempt in flight. */
const MAX_SLOTS = 256;
/** Slots of one host, over all processes. */
const SLOTS_PER_HOST = 4;
/** Deliveries that one claim takes, and those that one slot takes. */
const MAX_CLAIMED = 1_024;
const DELIVERIES_PER_SLOT = 64;
const IDLE_MS = 1_000;
const REST_MS = 10;
/** Longer than a slot's work can take: a lease ends only if its process has crashed or hangs. */
const LEASE_MS = 60_000;

/** The work of a due loop (see startDueLoop), one host slot at a time. */
export function webhookSender(deps: SenderDeps): DueWork<HostSlot> {
  const { sql, clock, log } = deps;
  const slow = slowHosts();
  const writeAttempt = attemptWriter(deps);
  let afterHost = "";

  const claimSlots = async (hosts: number) => {
    const now = clock.now();
    const leaseUntil = addMs(now, LEASE_MS);
    const rows = await claimDeliveries(sql, {
      now,
      leaseUntil,
      afterHost,
      hosts,
      slotsPerHost: SLOTS_PER_HOST,
      slowHosts: slow.list(),
      deliveriesPerSlot: DELIVERIES_PER_SLOT,
      rows: MAX_CLAIMED,
    });
    const claimed = rows.filter((row) => row.hostSlot !== null);
    const keysOf = await loadSigningKeys(deps, claimed).catch(async (error: unknown) => {
      await releaseIfLeased(sql, claimed, { wereSent: false });
      throw error;
    });
    const slots = slotsOf(claimed, { leaseUntil, keysOf });
    const hasMore =
      slots.length < rows.length || new Set(slots.map(({ host }) => host)).size >= hosts;
    return { slots, hasMore };
  };

  return {
    name: "webhook sender",
    concurrency: MAX_SLOTS,
    idleMs: IDLE_MS,
    restMs: REST_MS,
    async claim(limit) {
      const slots: HostSlot[] = [];
      let hasMore = true;
      while (hasMore && slots.length < limit) {
        const hosts = Math.ceil((limit - slots.length) / SLOTS_PER_HOST);
        const next = await claimSlots(hosts).catch((error: unknown) => {
          if (slots.length === 0) throw error;
          log.warn({ err: error }, "claim of more webhooks failed, retrying");
          return { slots: [], hasMore: false };
        });
        slots.push(...next.slots);
        // A claim without slots has only ended deliveries of disabled URLs. Earlier slots do not wait for more of them.
        hasMore = next.hasMore && (next.slots.length > 0 || slots.length === 0);
        afterHost = next.slots.at(-1)?.host ?? afterHost;
      }
      return slots;
    },
    async work(slot, signal) {
      const isFast = await workHostSlot({ ...deps, writeAttempt }, slot, signal);
      slow.note(slot.host, !isFast);
    },
  };
}

/** Groups claimed rows, which come by host and slot. */
function slotsOf(
  rows: readonly ClaimedDelivery[],
  shared: Pick<HostSlot, "leaseUntil" | "keysOf">,
): HostSlot[] {
  const slots = Map.groupBy(rows, ({ host, hostSlot }) => `${hostSlot} ${host}`);
  return [...slots.values()].map((deliveries) => ({
    ...shared,
    host: deliveries[0]?.host ?? "",
    deliveries,
  }));
}
