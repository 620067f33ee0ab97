/** Limits how much work of one kind a process has in hand, so that work is answered soon or refused soon. */
import { Counter, Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { ENDED } from "./abort.ts";
import type { Clock } from "./clock.ts";

/** So much is in hand at most. */
export const MAX_IN_HAND = 100;
/** So much is always taken on: what is slow for another reason than its number is still served. */
export const MIN_IN_HAND = 10;
/** An answer that took longer in hand is late. */
export const LATE_MS = 300;
/** While answers are late, as much is in hand as was answered in this time: then an answer takes about as long. */
export const PACE_MS = 250;
/** How long work waits for its turn before it is refused. */
const MAX_WAIT_MS = 200;
const MAX_WAITING = 100;

/** Work in hand. */
export type Turn = {
  /** It goes on, but only waits for others, for a time that says nothing of this process: it does not count. */
  pause: () => void;
  /** It counts again, whatever the limit. */
  resume: () => void;
  /** It is answered. Further calls change nothing. */
  end: () => void;
};

export type LoadLimit = {
  /** Takes work on, at once or after a short wait; undefined when it is to be refused. */
  take: () => Promise<Turn | undefined>;
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
    help: "How many requests or calls of a kind may be in hand at a time",
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
 * It is lowered by a late answer, until an answer is in time and nobody had to wait lately, or until nothing is in hand
 * any more.
 */
function createLimit(clock: Clock, refuse: () => void): Limit {
  const waiting = new Set<() => void>();
  const answeredAtMs: number[] = [];
  let isLate = false;
  /** When work last found no place. */
  let fullAtMs = -Infinity;
  let inHand = 0;

  const current = () => {
    const since = clock.monotonicMs() - PACE_MS;
    while (answeredAtMs[0] !== undefined && answeredAtMs[0] < since) answeredAtMs.shift();
    if (!isLate) return MAX_IN_HAND;
    return Math.min(MAX_IN_HAND, Math.max(MIN_IN_HAND, answeredAtMs.length));
  };
  const startNext = () => {
    for (const start of waiting) {
      if (inHand >= current()) return;
      waiting.delete(start);
      inHand += 1;
      start();
    }
  };
  const begin = (): Turn => {
    let startedMs: number | undefined = clock.monotonicMs();
    let tookMs = 0;
    let isEnded = false;
    const stopCounting = () => {
      if (startedMs === undefined) return;
      tookMs += clock.monotonicMs() - startedMs;
      startedMs = undefined;
      inHand -= 1;
    };
    return {
      pause() {
        stopCounting();
        startNext();
      },
      resume() {
        if (isEnded || startedMs !== undefined) return;
        startedMs = clock.monotonicMs();
        inHand += 1;
      },
      end() {
        if (isEnded) return;
        isEnded = true;
        stopCounting();
        answeredAtMs.push(clock.monotonicMs());
        const isCalm = clock.monotonicMs() - fullAtMs > PACE_MS;
        const isIdle = inHand === 0 && waiting.size === 0;
        if (isIdle || (isCalm && tookMs <= LATE_MS)) isLate = false;
        else if (tookMs > LATE_MS) isLate = true;
        startNext();
      },
    };
  };
  /** Whether a turn came in time; it is already counted then. */
  const waitForTurn = async (): Promise<boolean> => {
    if (waiting.size >= MAX_WAITING) return false;
    const settled = new AbortController();
    let hasTurn = false;
    const start = () => {
      hasTurn = true;
      settled.abort(ENDED);
    };
    waiting.add(start);
    await clock.sleep(MAX_WAIT_MS, settled.signal);
    waiting.delete(start);
    return hasTurn;
  };

  return {
    current,
    refuse,
    async take() {
      const isFree = waiting.size === 0 && inHand < current();
      if (isFree) inHand += 1;
      else fullAtMs = clock.monotonicMs();
      if (isFree || (await waitForTurn())) return begin();
      refuse();
      return undefined;
    },
  };
}
