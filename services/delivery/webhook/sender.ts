/** Sends webhooks that are due: claims them, tries each once, and writes what follows from it. */
import type { Dispatcher } from "undici";
import { addMs } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import type { DueWork } from "#runtime/due-loop.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres.ts";
import { isUrlDisabled } from "../store/disabled-urls.ts";
import type { ClaimedDelivery } from "../store/webhook-deliveries.ts";
import {
  claimDueDeliveries,
  disableDeliveryIfLeased,
  recordAttemptIfLeased,
  releaseDeliveryIfLeased,
} from "../store/webhook-deliveries.ts";
import type { Answer } from "./send.ts";
import { sendOnce } from "./send.ts";
import type { SecretBox } from "./secret-box.ts";
import { signingSecrets } from "./signing-secrets.ts";
import { verdictOf } from "./verdict.ts";

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

const CONCURRENCY = 64;
const MAX_PER_HOST = 4;
const IDLE_MS = 1_000;
/** Longer than an attempt can take, so that a lease outlives everything but a crash. */
const LEASE_MS = 60_000;
const STOP_GRACE_MS = 2_000;

/** The work of a due loop (see startDueLoop) over deliveries. */
export function webhookSender(deps: SenderDeps): DueWork<ClaimedDelivery> {
  const inFlight = new Map<string, number>();
  const count = (host: string, change: 1 | -1): void => {
    const now = (inFlight.get(host) ?? 0) + change;
    if (now > 0) inFlight.set(host, now);
    else inFlight.delete(host);
  };

  const claimSome = async (limit: number): Promise<ClaimedDelivery[]> => {
    const now = deps.clock.now();
    const claimed = await claimDueDeliveries(deps.sql, {
      now,
      leaseUntil: addMs(now, LEASE_MS),
      limit,
      inFlight,
      maxPerHost: MAX_PER_HOST,
    });
    for (const delivery of claimed) count(delivery.host, 1);
    return claimed;
  };

  return {
    name: "webhook sender",
    concurrency: CONCURRENCY,
    idleMs: IDLE_MS,
    // A claim sees only the oldest due rows; hosts that it has filled make room for younger ones.
    async claim(limit) {
      const all = await claimSome(limit);
      for (let last = all.length; last > 0 && all.length < limit;) {
        const more = await claimSome(limit - all.length).catch((error: unknown) => {
          deps.log.warn({ err: error }, "cannot look for more webhooks now");
          return [];
        });
        all.push(...more);
        last = more.length;
      }
      return all;
    },
    async work(delivery, signal) {
      try {
        await tryDelivery(deps, delivery, signal);
      } finally {
        count(delivery.host, -1);
      }
    },
  };
}

async function tryDelivery(
  deps: SenderDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { sql, log } = deps;
  const { account_id: accountId, mode, url } = delivery;
  const [isDisabled, secrets] = await Promise.all([
    isUrlDisabled(sql, { accountId, mode }, url),
    signingSecrets(deps, { accountId, mode }),
  ]);
  if (isDisabled) return disableDeliveryIfLeased(sql, delivery);
  const answer = await unlessStopped(
    sendOnce(
      deps,
      delivery,
      secrets.map(({ secret }) => secret),
    ),
    deps.clock,
    signal,
  );
  if (answer === undefined) return releaseDeliveryIfLeased(sql, delivery);
  const verdict = verdictOf(delivery, answer, deps.random);
  const isOurs = await recordAttemptIfLeased(sql, delivery, answer, verdict);
  log.info({ ...lineOf(delivery, answer), ...verdict, lease_lost: !isOurs }, "webhook attempt");
}

/** The answer, or undefined where this process stops and the answer does not come soon. */
async function unlessStopped(
  answer: Promise<Answer>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  using waiting = new DisposableStack();
  const settled = waiting.adopt(new AbortController(), (controller) => controller.abort());
  const stop = () => {
    void clock.sleep(STOP_GRACE_MS, settled.signal).then(() => stopped.resolve(undefined));
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { signal: settled.signal });
  return await Promise.race([answer, stopped.promise]);
}

function lineOf(delivery: ClaimedDelivery, answer: Answer) {
  return {
    account_id: delivery.account_id,
    delivery_id: delivery.id,
    attempt: delivery.attempt_count + 1,
    host: delivery.host,
    status_code: answer.statusCode,
    error: answer.error,
    duration_ms: answer.durationMs,
  };
}
