/** Routes that operators have to mend: closed with an alert, asked again now and then, open when they work. */
import { addMs } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { startPeriodicJobs } from "#runtime/periodic-job.ts";
import type { OperatorFault, Provider } from "../providers/provider.ts";

/** What a closure is about: a fault of its account closes all of a credential's routes. */
export type Suspendable = { name: string; credential: string; provider: Provider };

export type Suspension = { fault: OperatorFault; detail: string };

export type Suspensions = AsyncDisposable & {
  of: (route: Suspendable) => Suspension | undefined;
  suspend: (route: Suspendable, closure: Suspension) => void;
  /** Everything was set anew: all may be tried. */
  resumeAll: () => void;
};

type Closed = Suspension & { route: Suspendable; retryAt: Date };

const CHECK_EVERY_MS = 30_000;
const RETRY_MS = 60_000;
/** A harmless request may work where submits do not: each closing soon after another doubles the wait. */
const MAX_DOUBLINGS = 5;
const FORGET_AFTER_MS = 2 * 60 * 60 * 1000;
const CHECK_TIMEOUT_MS = 10_000;

/** Looks until disposed. `onChange` hears how many closures there are. */
export function openSuspensions(deps: {
  clock: Clock;
  log: Log;
  onChange: (closures: number) => void;
}): Suspensions {
  const { clock, log, onChange } = deps;
  const closed = new Map<string, Closed>();
  const history = new Map<string, { times: number; last: Date }>();

  const retryAt = (key: string): Date => {
    const now = clock.now();
    const before = history.get(key);
    const isRecent = before && now < addMs(before.last, FORGET_AFTER_MS);
    const times = isRecent ? before.times + 1 : 0;
    history.set(key, { times, last: now });
    return addMs(now, RETRY_MS * 2 ** Math.min(times, MAX_DOUBLINGS));
  };

  const tryAgain = async (key: string, { route }: Closed, stop: AbortSignal): Promise<void> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
    const works = await route.provider.check(signal).then(
      (checked) => checked.ok,
      () => false,
    );
    const still = closed.get(key);
    if (stop.aborted || !still) return;
    if (!works) still.retryAt = addMs(clock.now(), RETRY_MS);
    else {
      closed.delete(key);
      onChange(closed.size);
      log.info({ closed: key }, "it works again; its routes are open");
    }
  };

  const checkDue = async (stop: AbortSignal) => {
    const due = [...closed].filter(([, it]) => it.retryAt <= clock.now());
    await Promise.all(due.map(([key, it]) => tryAgain(key, it, stop)));
  };
  const every = { firstAfterMs: CHECK_EVERY_MS, everyMs: CHECK_EVERY_MS };
  const jobs = startPeriodicJobs([{ name: "check suspensions", ...every, run: checkDue }], deps);

  return {
    of: (route) =>
      closed.get(`credential ${route.credential}`) ?? closed.get(`route ${route.name}`),
    suspend: (route, { fault, detail }) => {
      const key = fault === "config" ? `route ${route.name}` : `credential ${route.credential}`;
      if (closed.has(key)) return;
      closed.set(key, { fault, detail, route, retryAt: retryAt(key) });
      onChange(closed.size);
      log.error(
        { alert: true, closed: key, route: route.name, fault, detail },
        "an upstream will not serve us; its routes are closed until operators act",
      );
    },
    resumeAll: () => {
      closed.clear();
      history.clear();
      onChange(0);
    },
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}
