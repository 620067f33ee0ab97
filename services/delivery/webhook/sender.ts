/** Sends due webhooks: claims free host slots with deliveries, and works through each slot. */
import type { Dispatcher } from "undici";
import { addMs, type Clock } from "#runtime/clock.ts";
import type { DueWork } from "#runtime/due-loop.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { Tracer } from "#runtime/tracing/tracer.ts";
import type { DeliveryMetrics } from "../metrics/metrics.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import { claimDeliveries, releaseIfLeased, SLOTS_PER_TURN } from "../store/webhook-claims.ts";
import { attemptWriter } from "./attempt-writer.ts";
import { workHostSlot, type HostSlot } from "./host-slot.ts";
import { receiverName, recentReceivers } from "./recent-receivers.ts";
import type { MasterKeys } from "./master-keys.ts";
import { loadSigningKeys } from "./signing-secrets.ts";

export type SenderDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  masterKeys: MasterKeys;
  /** Returns the jitter of the schedule, in [0, 1). */
  random: () => number;
  /** Refuses addresses that are not public. */
  agent: Dispatcher;
  metrics: Pick<DeliveryMetrics, "attempts" | "deliveries">;
  tracer: Tracer;
};

/** Host slots that this process works on at once; each has one attempt in flight. */
const MAX_SLOTS = 256;
/** Slots that any receivers may have; the others are for receivers that were fast the last time. */
const MAX_OPEN_SLOTS = 192;
const IDLE_MS = 1_000;
const REST_MS = 10;
/** Longer than a slot's work can take: a lease ends only if its process has crashed or hangs. */
const LEASE_MS = 60_000;

/** The work of a due loop (see startDueLoop), one host slot at a time. */
export function webhookSender(deps: SenderDeps): DueWork<HostSlot> {
  const { sql, clock, log } = deps;
  const recent = recentReceivers();
  const writeAttempt = attemptWriter(sql);
  /** Slots in work of receivers that were not fast the last time. */
  const openInWork = new Set<HostSlot>();

  const claimSlots = async (limit: number) => {
    const now = clock.now();
    const leaseUntil = addMs(now, LEASE_MS);
    const openSlots = Math.max(0, Math.min(limit, MAX_OPEN_SLOTS - openInWork.size));
    const rows = await claimDeliveries(sql, {
      now,
      leaseUntil,
      slots: limit,
      openSlots,
      turns: recent.turns(),
      fast: recent.fast(),
      slow: recent.slow(),
    });
    const claimed = rows.filter((row) => row.hostSlot !== null);
    // The claim has ended the others, because their URLs are disabled.
    const disabled = rows.length - claimed.length;
    if (disabled > 0) deps.metrics.deliveries.inc({ status: "disabled" }, disabled);
    for (const row of claimed) if (row.inTurn) recent.noteTurn(row);
    const keysOf = await loadSigningKeys(deps, claimed).catch(async (error: unknown) => {
      await releaseIfLeased(sql, claimed, { wereSent: false });
      throw error;
    });
    const slots = slotsOf(claimed, { leaseUntil, keysOf });
    for (const slot of slots) if (!recent.isFast(receiverName(slot))) openInWork.add(slot);
    const byAccount = [...Map.groupBy(slots, ({ accountId }) => accountId).values()];
    const isCut = byAccount.some(({ length }) => length >= SLOTS_PER_TURN);
    // If no slots are left for turns, the claim has taken all that fast receivers may have.
    const hasMore = claimed.length < rows.length || (openSlots > 0 && isCut);
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
        const next = await claimSlots(limit - slots.length).catch((error: unknown) => {
          if (slots.length === 0) throw error;
          log.warn({ err: error }, "claim of more webhooks failed, retrying");
          return { slots: [], hasMore: false };
        });
        slots.push(...next.slots);
        // A claim without slots has only ended deliveries of disabled URLs. Earlier slots do not wait for more of them.
        hasMore = next.hasMore && (next.slots.length > 0 || slots.length === 0);
      }
      return slots;
    },
    async work(slot, signal) {
      try {
        recent.note(
          receiverName(slot),
          await workHostSlot({ ...deps, writeAttempt }, slot, signal),
        );
      } finally {
        openInWork.delete(slot);
      }
    },
  };
}

/** Groups claimed rows, which come by receiver and slot. */
function slotsOf(
  rows: readonly ClaimedDelivery[],
  shared: Pick<HostSlot, "leaseUntil" | "keysOf">,
): HostSlot[] {
  const slots = Map.groupBy(rows, (row) => `${row.hostSlot} ${receiverName(row)}`);
  return [...slots.values()].map((deliveries) => ({
    ...shared,
    accountId: deliveries[0]?.accountId ?? "",
    host: deliveries[0]?.host ?? "",
    deliveries,
  }));
}
