/** Works off one lane of a host: deliveries sent one after the other, each outcome written while the next is sent. */
import type { Clock } from "#runtime/clock.ts";
import { releaseIfLeased } from "../store/webhook-claims.ts";
import type { ClaimedDelivery } from "../store/webhook-claims.ts";
import type { WriteAttempt } from "./attempt-writer.ts";
import type { KeysOf } from "./claimed-keys.ts";
import type { Answer } from "./send.ts";
import { sendOnce } from "./send.ts";
import type { SenderDeps } from "./sender.ts";
import { verdictOf } from "./outcome.ts";

export type Lane = {
  host: string;
  leaseUntil: Date;
  deliveries: ClaimedDelivery[];
  keysOf: KeysOf;
};

export type LaneDeps = SenderDeps & { writeAttempt: WriteAttempt };

const STOP_GRACE_MS = 2_000;
/** Nothing is sent that could end after the lease. */
const LEAST_LEASE_MS = 20_000;
/** What is answered within this time is answered at once. */
const FAST_MS = 250;

/**
 * Whether all of it was answered, each within a moment. Where one was not, and where this process stops, the rest is
 * given back. Rejects where an outcome could not be written; the lease brings that one back.
 */
export async function workLane(deps: LaneDeps, lane: Lane, signal: AbortSignal): Promise<boolean> {
  const { sql } = deps;
  const writing: Promise<void>[] = [];
  const failures: unknown[] = [];
  const inBackground = (write: Promise<void>) =>
    void writing.push(write.catch((error: unknown) => void failures.push(error)));
  const left = [...lane.deliveries];
  using stop = stopOf(deps.clock, signal);
  const isOver = () =>
    left.length === 0 || lane.leaseUntil.getTime() - deps.clock.now().getTime() < LEAST_LEASE_MS;
  let isFast = true;
  for (let isLast = isOver(); !isLast;) {
    const [delivery] = left.splice(0, 1);
    if (!delivery) break;
    try {
      const answer = await Promise.race([send(deps, lane, delivery), stop.afterGrace]);
      isFast = answer?.statusCode !== undefined && answer.durationMs <= FAST_MS;
      isLast = !isFast || signal.aborted || isOver();
      if (answer) inBackground(write(deps, delivery, answer, { isAwaited: isLast }));
      else inBackground(releaseIfLeased(sql, [delivery], { wereSent: true }));
    } catch (error) {
      isFast = false;
      isLast = true;
      failures.push(error);
    }
  }
  if (left.length > 0) inBackground(releaseIfLeased(sql, left, { wereSent: false }));
  await Promise.all(writing);
  if (failures.length > 0) throw failures[0];
  return isFast && left.length === 0;
}

async function send(deps: LaneDeps, lane: Lane, delivery: ClaimedDelivery): Promise<Answer> {
  return sendOnce(deps, delivery, await lane.keysOf(delivery));
}

async function write(
  deps: LaneDeps,
  claimed: ClaimedDelivery,
  answer: Answer,
  how: { isAwaited: boolean },
): Promise<void> {
  const verdict = verdictOf(claimed, answer, deps.random);
  const ended = { claimed, attempt: answer, verdict };
  const { isOurs, disabledUrl } = await deps.writeAttempt(ended, how);
  deps.log.info(
    { ...lineOf(claimed, answer), ...verdict, lease_lost: !isOurs, url_disabled: disabledUrl },
    "webhook attempt",
  );
}

/** Resolves a little after `signal`: what has no answer by then is left without one. */
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
  return { afterGrace: stopped.promise, [Symbol.dispose]: () => ended.abort("ended") };
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
