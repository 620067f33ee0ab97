/** Sends due webhooks: claims receivers with deliveries, and works through each. */
import type { KeyObject } from "node:crypto";
import pLimit from "p-limit";
import type { Dispatcher } from "undici";
import { onAbort } from "#runtime/abort.ts";
import { DAY_MS, addMs } from "#runtime/clock.ts";
import type { DueWork } from "#runtime/loops.ts";
import { contextOf, inContext } from "#runtime/work-context.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { Base } from "#runtime/service/service.ts";
import { inSpan } from "#runtime/tracing/tracer.ts";
import { outcomeOf, type ClaimedDelivery, type Attempt } from "../domain/delivery.ts";
import type { DeliveryMetrics } from "../metrics/metrics.ts";
import {
  claimDeliveries,
  recordAttemptsIfLeased,
  releaseIfLeased,
  type FinishedAttempt,
} from "../store/webhook-claims.ts";
import { loadSecrets, ownerName, type MasterKeys, type SigningSecrets } from "./signing-secrets.ts";
import { signedHeaders } from "../domain/signature.ts";
import { guardedRequest } from "../egress/request.ts";

/** `random` is the jitter of the schedule. */
type SenderDeps = Pick<Base, "sql" | "clock" | "log" | "random" | "tracer"> & {
  masterKeys: MasterKeys;
  /** Refuses addresses that are not public. */
  agent: Dispatcher;
  metrics: Pick<DeliveryMetrics, "attempts" | "deliveries">;
};

/** A host of an account, with deliveries that are leased. */
type Receiver = {
  deliveries: ClaimedDelivery[];
  leaseUntil: Date;
  secrets: Map<string, SigningSecrets>;
};

/** Receivers that this process works on at once, with up to 4 attempts in flight each. */
const MAX_RECEIVERS = 256;
/** Deliveries that are held in memory: about as many, and those of one claim. */
const MAX_HELD = 8_192;
const MAX_CLAIMED = 1_024;
const IDLE_MS = 1_000;
const REST_MS = 10;
/** Longer than a receiver's work can take: a lease ends only if its process has crashed or hangs. */
const LEASE_MS = 60_000;
/** A URL whose attempts have all failed for this long is disabled. */
const DISABLE_AFTER_MS = 5 * DAY_MS;
const MAX_ATTEMPTS_PER_STATEMENT = 512;

const MAX_IN_FLIGHT = 4;
/** No attempt begins with less than this left of the lease, so that none outlives it. */
const MIN_LEASE_MS = 20_000;
/** How long deliveries wait whose account's signing secret cannot be read. */
const UNSIGNED_WAIT_MS = 5 * 60_000;

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
      const secrets = await loadSecrets(deps, leased).catch(async (error: unknown) => {
        await releaseIfLeased(sql, leased);
        throw error;
      });
      const byReceiver = Map.groupBy(leased, ({ accountId, host }) => `${accountId} ${host}`);
      return [...byReceiver.values()].map((deliveries) => ({ deliveries, leaseUntil, secrets }));
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

/** Records finished attempts, many in a statement. False if the lease was lost; rejects if it could not be written. */
export function attemptWriter(sql: Sql) {
  const write = batchByKey<FinishedAttempt, boolean>({
    run: (_, finished) => recordAttemptsIfLeased(sql, finished, DISABLE_AFTER_MS),
    maxBatch: MAX_ATTEMPTS_PER_STATEMENT,
  });
  return (finished: FinishedAttempt) => write("", finished);
}

type ReceiverDeps = SenderDeps & { writeAttempt: ReturnType<typeof attemptWriter> };

/**
 * What is left when the lease nears its end, or when `signal` aborts, is released, attempts under way too. What cannot be
 * signed is postponed. Rejects if an outcome could not be recorded: that delivery is sent again after its lease.
 */
async function workReceiver(
  deps: ReceiverDeps,
  { deliveries, leaseUntil, secrets }: Receiver,
  signal: AbortSignal,
): Promise<void> {
  const { sql, clock } = deps;
  const left: ClaimedDelivery[] = [];
  const unsigned: ClaimedDelivery[] = [];
  const writing: Promise<void>[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  const inBackground = (write: Promise<void>) => void writing.push(write.catch(fail));
  const stopped = Promise.withResolvers<undefined>();
  using _stopping = onAbort(signal, () => stopped.resolve(undefined));
  const isOver = () =>
    failures.length > 0 ||
    signal.aborted ||
    leaseUntil.getTime() - clock.now().getTime() < MIN_LEASE_MS;
  const deliver = async (delivery: ClaimedDelivery): Promise<void> => {
    if (isOver()) return void left.push(delivery);
    const keys = secrets.get(ownerName(delivery))?.map(({ key }) => key);
    if (!keys) return void unsigned.push(delivery);
    const span = { "media.attempt": delivery.attemptCount + 1 };
    const sent = inSpan(
      deps.tracer,
      "webhook attempt",
      { kind: "client", fields: span },
      () => sendAttempt(deps, delivery, keys),
      (ended) => ({ "media.outcome": answerOf(ended) }),
    );
    const attempt = await Promise.race([sent, stopped.promise]);
    if (attempt) inBackground(record(deps, delivery, attempt));
    else inBackground(releaseIfLeased(sql, [delivery], { sentAt: clock.now() }));
  };
  const limit = pLimit(MAX_IN_FLIGHT);
  await limit.map(deliveries, (delivery) =>
    inContext(contextOf(delivery), () => deliver(delivery)).catch(fail),
  );
  if (left.length > 0) inBackground(releaseIfLeased(sql, left));
  if (unsigned.length > 0) {
    inBackground(releaseIfLeased(sql, unsigned, { due: addMs(clock.now(), UNSIGNED_WAIT_MS) }));
    deps.log.warn(
      { account_id: unsigned[0]?.accountId, deliveries: unsigned.length },
      "webhooks wait, the account's signing secret cannot be made",
    );
  }
  await Promise.all(writing);
  if (failures.length > 0) throw failures[0];
}

async function record(deps: ReceiverDeps, claimed: ClaimedDelivery, attempt: Attempt) {
  const outcome = outcomeOf(claimed, attempt, deps.random);
  deps.metrics.attempts.observe({ answer: answerOf(attempt) }, attempt.durationMs / 1_000);
  const leaseHeld = await deps.writeAttempt({ claimed, attempt, outcome });
  if (leaseHeld && outcome.status !== "pending") {
    deps.metrics.deliveries.inc({ status: outcome.status });
  }
  deps.log.info(
    {
      account_id: claimed.accountId,
      delivery_id: claimed.id,
      attempt: claimed.attemptCount + 1,
      status_code: attempt.statusCode,
      error: attempt.error,
      duration_ms: attempt.durationMs,
      status: outcome.status,
      lease_lost: !leaseHeld,
    },
    "webhook attempt",
  );
}

/** `2xx`, or the code of the error. */
function answerOf({ statusCode, error = "none" }: Attempt): string {
  return statusCode === undefined ? error : `${Math.floor(statusCode / 100)}xx`;
}

const DEADLINE_MS = 15_000;
const USER_AGENT = "Media-Webhooks/1.0";
const MAX_KEPT_CHARACTERS = 2_000;
const MAX_BYTES_PER_CHARACTER = 4;

/** Posts the delivery's bytes with a signature for the current time, within 15 s in all. Never rejects. */
async function sendAttempt(
  { agent, clock }: SenderDeps,
  delivery: ClaimedDelivery,
  keys: readonly KeyObject[],
): Promise<Attempt> {
  const at = clock.now();
  // The clock follows that of the database, which may go back after a failover.
  const startedMs = clock.monotonicMs();
  const { eventId: id, body, url } = delivery;
  const timestampSeconds = Math.floor(at.getTime() / 1000);
  const result = await guardedRequest(agent, {
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": USER_AGENT,
      ...signedHeaders(keys, { id, timestampSeconds, body }),
    },
    body,
    deadlineMs: DEADLINE_MS,
    maxResponseBytes: MAX_KEPT_CHARACTERS * MAX_BYTES_PER_CHARACTER,
  });
  const durationMs = Math.round(clock.monotonicMs() - startedMs);
  if (!result.ok) return { at, durationMs, error: result.error };
  // A header that comes twice is a list.
  const [retryAfter] = [result.headers["retry-after"]].flat();
  const responseBody = keptText(result.body);
  return { at, durationMs, statusCode: result.statusCode, responseBody, retryAfter };
}

/** The first characters of a response body, with the NUL characters replaced that Postgres cannot store. */
function keptText(bytes: Buffer): string {
  const text = bytes.toString("utf8").replaceAll("\0", "\uFFFD");
  return Array.from(text).slice(0, MAX_KEPT_CHARACTERS).join("");
}
