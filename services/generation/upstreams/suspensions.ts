/** Suspends upstreams that need an operator: alerts, checks them periodically, and resumes those that work again. */
import { addMs, type Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { startPeriodicJobs } from "#runtime/loops.ts";
import type { OperatorFault, Provider } from "../providers/provider.ts";

/** An upstream that can be suspended. A fault of the account suspends all upstreams of its credential. */
export type Suspendable = { name: string; credential: string; provider: Provider };

export type Suspension = { fault: OperatorFault; detail: string };

export type Suspensions = AsyncDisposable & {
  of: (upstream: Suspendable) => Suspension | undefined;
  suspend: (upstream: Suspendable, suspension: Suspension) => void;
};

type Active = Suspension & { upstream: Suspendable; retryAt: Date };

const CHECK_EVERY_MS = 30_000;
const RETRY_MS = 60_000;
/** A check can succeed while submits fail, so each suspension soon after another doubles the wait. */
const MAX_DOUBLINGS = 5;
const FORGET_AFTER_MS = 2 * 60 * 60 * 1000;
const CHECK_TIMEOUT_MS = 10_000;

/** Checks suspended upstreams until disposed. Calls `onChange` with the number of suspensions. */
export function openSuspensions(deps: {
  clock: Clock;
  log: Log;
  onChange: (suspensions: number) => void;
}): Suspensions {
  const { clock, log, onChange } = deps;
  const active = new Map<string, Active>();
  const history = new Map<string, { times: number; last: Date }>();

  const retryAt = (key: string): Date => {
    const now = clock.now();
    const before = history.get(key);
    const isRecent = before && now < addMs(before.last, FORGET_AFTER_MS);
    const times = isRecent ? before.times + 1 : 0;
    history.set(key, { times, last: now });
    return addMs(now, RETRY_MS * 2 ** Math.min(times, MAX_DOUBLINGS));
  };

  const checkAgain = async (
    key: string,
    { upstream }: Active,
    stop: AbortSignal,
  ): Promise<void> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
    const works = await upstream.provider.check(signal).then(
      (checked) => checked.ok,
      () => false,
    );
    const suspension = active.get(key);
    if (stop.aborted || !suspension) return;
    if (!works) suspension.retryAt = addMs(clock.now(), RETRY_MS);
    else {
      active.delete(key);
      onChange(active.size);
      log.info({ suspended: key }, "a suspended upstream works again; resumed");
    }
  };

  const checkDue = async (stop: AbortSignal) => {
    const due = [...active].filter(([, { retryAt: dueAt }]) => dueAt <= clock.now());
    await Promise.all(due.map(([key, suspension]) => checkAgain(key, suspension, stop)));
  };
  const every = { firstAfterMs: CHECK_EVERY_MS, everyMs: CHECK_EVERY_MS };
  const jobs = startPeriodicJobs([{ name: "check suspensions", ...every, run: checkDue }], deps);

  return {
    of: (upstream) =>
      active.get(`credential ${upstream.credential}`) ?? active.get(`upstream ${upstream.name}`),
    suspend: (upstream, { fault, detail }) => {
      const key =
        fault === "config" ? `upstream ${upstream.name}` : `credential ${upstream.credential}`;
      if (active.has(key)) return;
      active.set(key, { fault, detail, upstream, retryAt: retryAt(key) });
      onChange(active.size);
      log.error(
        { alert: true, suspended: key, upstream: upstream.name, fault },
        "refused by the upstream; suspended until operators act",
      );
    },
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}
