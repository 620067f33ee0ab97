/** Works through one host slot: sends its deliveries one after another, and records each outcome during the next. */
import type { Dispatcher } from "undici";
import { ENDED } from "#runtime/abort.ts";
import { addMs, type Clock } from "#runtime/clock.ts";
import { contextOf, inContext } from "#runtime/work-context.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import { outcomeOf, type SentAttempt } from "../domain/outcome.ts";
import { releaseIfLeased } from "../store/webhook-claims.ts";
import { inSpan, type Tracer } from "#runtime/tracing/tracer.ts";
import type { DeliveryMetrics } from "../metrics/metrics.ts";
import type { WriteAttempt } from "./attempt-writer.ts";
import { sendAttempt } from "./send-attempt.ts";
import type { SigningKeysOf } from "./signing-secrets.ts";

/** A claimed slot of an account's host, with the deliveries that it takes. */
export type HostSlot = {
  accountId: string;
  host: string;
  leaseUntil: Date;
  deliveries: ClaimedDelivery[];
  keysOf: SigningKeysOf;
};

export type HostSlotDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Returns the jitter of the schedule, in [0, 1). */
  random: () => number;
  /** Refuses addresses that are not public. */
  agent: Dispatcher;
  writeAttempt: WriteAttempt;
  metrics: Pick<DeliveryMetrics, "attempts" | "deliveries">;
  tracer: Tracer;
};

/** How long an attempt in flight may go on once the process stops. */
const STOP_GRACE_MS = 2_000;
/** No attempt begins with less than this left of the lease, so that none outlives it. */
const MIN_LEASE_MS = 20_000;
/** A host is fast if it responds within this time. */
const FAST_MS = 250;
/** How long deliveries wait whose account's signing secret cannot be read. */
const UNSIGNED_WAIT_MS = 5 * 60_000;

/**
 * Resolves to whether the host was fast for every delivery. At the first delivery for which it was not, and when
 * `signal` aborts, the rest is released. What cannot be signed is postponed. Rejects if an outcome could not be
 * recorded: that delivery is sent again after its lease.
 */
export async function workHostSlot(
  deps: HostSlotDeps,
  slot: HostSlot,
  signal: AbortSignal,
): Promise<boolean> {
  const { sql } = deps;
  const writing: Promise<void>[] = [];
  const failures: unknown[] = [];
  const inBackground = (write: Promise<void>) =>
    void writing.push(write.catch((error: unknown) => void failures.push(error)));
  const left = [...slot.deliveries];
  const unsigned: ClaimedDelivery[] = [];
  using stop = stopOf(deps.clock, signal);
  const isOver = () =>
    left.length === 0 || slot.leaseUntil.getTime() - deps.clock.now().getTime() < MIN_LEASE_MS;
  let isFast = true;
  let isLast = isOver();
  while (!isLast) {
    const delivery = left.shift();
    if (!delivery) break;
    try {
      const attempt = await inContext(contextOf(delivery), () =>
        Promise.race([send(deps, slot, delivery), stop.afterGrace]),
      );
      if (attempt === "unsigned") {
        unsigned.push(delivery);
        isLast = signal.aborted || isOver();
        continue;
      }
      isFast = attempt?.statusCode !== undefined && attempt.durationMs <= FAST_MS;
      isLast = !isFast || signal.aborted || isOver();
      if (attempt) {
        inBackground(inContext(contextOf(delivery), () => record(deps, delivery, attempt)));
      } else inBackground(releaseIfLeased(sql, [delivery], { wereSent: true }));
    } catch (error) {
      isFast = false;
      isLast = true;
      failures.push(error);
    }
  }
  if (left.length > 0) inBackground(releaseIfLeased(sql, left, { wereSent: false }));
  if (unsigned.length > 0) inBackground(postpone(deps, slot, unsigned));
  await Promise.all(writing);
  if (failures.length > 0) throw failures[0];
  return isFast && left.length === 0;
}

async function postpone(
  { sql, clock, log }: HostSlotDeps,
  { accountId }: HostSlot,
  unsigned: readonly ClaimedDelivery[],
): Promise<void> {
  const due = addMs(clock.now(), UNSIGNED_WAIT_MS);
  await releaseIfLeased(sql, unsigned, { wereSent: false, due });
  log.warn(
    { account_id: accountId, deliveries: unsigned.length },
    "webhooks wait, the account's signing secret cannot be read",
  );
}

async function send(
  deps: HostSlotDeps,
  slot: HostSlot,
  delivery: ClaimedDelivery,
): Promise<SentAttempt | "unsigned"> {
  const keys = await slot.keysOf(delivery);
  if (keys === undefined) return "unsigned";
  return inSpan(
    deps.tracer,
    "webhook attempt",
    { kind: "client", fields: { "media.attempt": delivery.attemptCount + 1 } },
    () => sendAttempt(deps, delivery, keys),
    (attempt) => ({ "media.outcome": answerOf(attempt) }),
  );
}

async function record(
  deps: HostSlotDeps,
  claimed: ClaimedDelivery,
  attempt: SentAttempt,
): Promise<void> {
  const outcome = outcomeOf(claimed, attempt, deps.random);
  deps.metrics.attempts.observe({ answer: answerOf(attempt) }, attempt.durationMs / 1_000);
  const { leaseHeld, urlDisabled } = await deps.writeAttempt({ claimed, attempt, outcome });
  if (leaseHeld && outcome.status !== "pending") {
    deps.metrics.deliveries.inc({ status: outcome.status });
  }
  deps.log.info(
    {
      ...logFields(claimed, attempt),
      status: outcome.status,
      lease_lost: !leaseHeld,
      url_disabled: urlDisabled,
    },
    "webhook attempt",
  );
}

/** `2xx`, or the code of the error. */
function answerOf({ statusCode, error = "none" }: SentAttempt): string {
  return statusCode === undefined ? error : `${Math.floor(statusCode / 100)}xx`;
}

/** `afterGrace` resolves a grace period after `signal` aborts: attempts still in flight are given up then. */
function stopOf(
  clock: Clock,
  signal: AbortSignal,
): Disposable & { afterGrace: Promise<undefined> } {
  const stopped = Promise.withResolvers<undefined>();
  const ended = new AbortController();
  const stop = () => {
    void clock.sleep(STOP_GRACE_MS, ended.signal).then(() => stopped.resolve(undefined));
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { signal: ended.signal });
  return { afterGrace: stopped.promise, [Symbol.dispose]: () => ended.abort(ENDED) };
}

function logFields(delivery: ClaimedDelivery, attempt: SentAttempt) {
  return {
    account_id: delivery.accountId,
    delivery_id: delivery.id,
    attempt: delivery.attemptCount + 1,
    status_code: attempt.statusCode,
    error: attempt.error,
    duration_ms: attempt.durationMs,
  };
}
