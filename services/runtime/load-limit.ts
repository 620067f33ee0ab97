/** Limits how much work of one kind a process has in progress, so that work is answered soon or refused soon. */
import { Counter, Gauge, type Registry } from "prom-client";
import { ENDED } from "./abort.ts";
import type { Clock } from "./clock.ts";
import { createShares } from "./shares.ts";

/** The most requests or calls of one kind that are in progress at a time. */
export const MAX_IN_PROGRESS = 100;
/** The lowest limit: work that is slow for another reason than its amount is still served. */
export const MIN_IN_PROGRESS = 10;
/** An answer is late if it took more milliseconds. */
export const LATE_MS = 300;
/** While answers are late, the limit is the number of answers of the last 250 ms: then one takes about 250 ms. */
export const PACE_MS = 250;
/** How many milliseconds work waits for its turn before it is refused. */
const MAX_WAIT_MS = 200;
/** The most requests or calls of one kind that wait for their turn. */
const MAX_WAITING = 100;

/** Work in progress: one request or call. */
export type Turn = {
  /** It goes on, but only waits for others, for a time that says nothing of this process: it does not count. */
  pause: () => void;
  /** It counts again, whatever the limit. */
  resume: () => void;
  /** It is answered. Further calls change nothing. */
  end: () => void;
};

export type LoadLimit = {
  /**
   * Takes work on, at once or after a short wait; undefined when it is to be refused. Of the work of `who` no more is in
   * progress, nor waits, than there are places left for others.
   */
  take: (who?: string) => Promise<Turn | undefined>;
  /** Counts work that the caller refuses. */
  refuse: () => void;
};

/** The limit of one kind of work, such as an operation, so that a slow kind holds up no other. */
export type LoadLimits = (kind: string) => LoadLimit;

/** Kinds are labels of metrics: there must be few. */
export function loadLimits({ clock, metrics }: { clock: Clock; metrics: Registry }): LoadLimits {
  const limits = new Map<string, Limit>();
  const registers = [metrics];
  const refused = new Counter({
    name: "media_overload_refused_total",
    help: "Requests and calls that were refused because there was too much to do",
    labelNames: ["kind"] as const,
    registers,
  });
  new Gauge({
    name: "media_overload_limit",
    help: "How many requests or calls of a kind may be in progress at a time",
    labelNames: ["kind"] as const,
    registers,
    collect() {
      for (const [kind, { current }] of limits) this.set({ kind }, current());
    },
  });
  return (kind) => {
    const limit = limits.get(kind) ?? createLimit(clock, () => refused.inc({ kind }));
    limits.set(kind, limit);
    return limit;
  };
}

type Limit = LoadLimit & { current: () => number };

/**
 * It is lowered by a late answer, until an answer is in time and nobody had to wait lately, or until nothing is in
 * progress any more.
 */
function createLimit(clock: Clock, refuse: () => void): Limit {
  /** Whose work each is that waits for its turn, in order. */
  const waiting = new Map<() => void, string | undefined>();
  const waitingShares = createShares();
  const shares = createShares();
  const answeredAtMs: number[] = [];
  let isLate = false;
  /** When work last found no place. */
  let fullAtMs = -Infinity;
  let inProgress = 0;

  const current = () => {
    const since = clock.monotonicMs() - PACE_MS;
    while (answeredAtMs[0] !== undefined && answeredAtMs[0] < since) answeredAtMs.shift();
    if (!isLate) return MAX_IN_PROGRESS;
    return Math.min(MAX_IN_PROGRESS, Math.max(MIN_IN_PROGRESS, answeredAtMs.length));
  };
  /** Counts one more in progress, if there is a place for it. */
  const countIn = (who: string | undefined): boolean => {
    const free = current() - inProgress;
    if (free <= 0 || (who !== undefined && !shares.take(who, free))) return false;
    inProgress += 1;
    return true;
  };
  const startNext = () => {
    for (const [start, who] of waiting) {
      if (inProgress >= current()) return;
      if (countIn(who)) start();
    }
  };
  const begin = (who: string | undefined): Turn => {
    let startedMs: number | undefined = clock.monotonicMs();
    let tookMs = 0;
    let isEnded = false;
    const stopCounting = () => {
      if (startedMs === undefined) return;
      tookMs += clock.monotonicMs() - startedMs;
      startedMs = undefined;
      inProgress -= 1;
      if (who !== undefined) shares.release(who);
    };
    return {
      pause() {
        stopCounting();
        startNext();
      },
      resume() {
        if (isEnded || startedMs !== undefined) return;
        startedMs = clock.monotonicMs();
        inProgress += 1;
        if (who !== undefined) shares.take(who, Infinity);
      },
      end() {
        if (isEnded) return;
        isEnded = true;
        stopCounting();
        answeredAtMs.push(clock.monotonicMs());
        const isCalm = clock.monotonicMs() - fullAtMs > PACE_MS;
        const isIdle = inProgress === 0 && waiting.size === 0;
        if (isIdle || (isCalm && tookMs <= LATE_MS)) isLate = false;
        else if (tookMs > LATE_MS) isLate = true;
        startNext();
      },
    };
  };
  /** Whether a turn came in time; it is already counted then. */
  const waitForTurn = async (who: string | undefined): Promise<boolean> => {
    const free = MAX_WAITING - waiting.size;
    if (free <= 0 || (who !== undefined && !waitingShares.take(who, free))) return false;
    const settled = new AbortController();
    let hasTurn = false;
    const start = () => {
      waiting.delete(start);
      hasTurn = true;
      settled.abort(ENDED);
    };
    waiting.set(start, who);
    await clock.sleep(MAX_WAIT_MS, settled.signal);
    waiting.delete(start);
    if (who !== undefined) waitingShares.release(who);
    return hasTurn;
  };

  return {
    current,
    refuse,
    async take(who) {
      if (inProgress >= current()) fullAtMs = clock.monotonicMs();
      if (countIn(who) || (await waitForTurn(who))) return begin(who);
      refuse();
      return undefined;
    },
  };
}
