/** Sends due webhooks: claims receivers with deliveries, and works through each. */
import { addMs } from "#runtime/clock.ts";
import type { DueWork } from "#runtime/loops.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import { claimDeliveries, releaseIfLeased } from "../store/webhook-claims.ts";
import { attemptWriter, workReceiver, type Receiver, type SenderDeps } from "./receiver.ts";
import { loadSigningKeys } from "./signing-secrets.ts";

/** Receivers that this process works on at once, with up to 4 attempts in flight each. */
const MAX_RECEIVERS = 256;
/** Deliveries that are held in memory: about as many, and those of one claim. */
const MAX_HELD = 8_192;
const MAX_CLAIMED = 1_024;
const IDLE_MS = 1_000;
const REST_MS = 10;
/** Longer than a receiver's work can take: a lease ends only if its process has crashed or hangs. */
const LEASE_MS = 60_000;
/** The work of a due loop (see startDueLoop), one receiver at a time. */
export function webhookSender(deps: SenderDeps): DueWork<Receiver> {
  const { sql, clock } = deps;
  const writeAttempt = attemptWriter(sql);
  let held = 0;

  return {
    name: "webhook sender",
    concurrency: MAX_RECEIVERS,
    idleMs: IDLE_MS,
    restMs: REST_MS,
    async claim(receivers) {
      const now = clock.now();
      const leaseUntil = addMs(now, LEASE_MS);
      const rows = Math.max(0, Math.min(MAX_CLAIMED, MAX_HELD - held));
      let leased: ClaimedDelivery[];
      let stopped: number;
      do {
        const claimed = await claimDeliveries(sql, { now, leaseUntil, receivers, rows });
        leased = claimed.filter(({ isStopped }) => !isStopped);
        stopped = claimed.length - leased.length;
        deps.metrics.deliveries.inc({ status: "disabled" }, stopped);
        // A claim of none would let the loop sleep, while other deliveries are due behind these.
      } while (stopped > 0 && leased.length === 0);
      const keysOf = await loadSigningKeys(deps, leased).catch(async (error: unknown) => {
        await releaseIfLeased(sql, leased);
        throw error;
      });
      const byReceiver = Map.groupBy(leased, ({ accountId, host }) => `${accountId} ${host}`);
      return [...byReceiver.values()].map((deliveries) => ({ deliveries, leaseUntil, keysOf }));
    },
    async work(receiver, signal) {
      held += receiver.deliveries.length;
      try {
        await workReceiver({ ...deps, writeAttempt }, receiver, signal);
      } finally {
        held -= receiver.deliveries.length;
      }
    },
  };
}
