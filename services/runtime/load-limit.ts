/** Limits how much work of one kind, and how many connections, a process has, so that each is answered or refused soon. */
import { Counter, type Registry } from "prom-client";
import { ENDED } from "./abort.ts";
import type { Clock } from "./clock.ts";

/** Connections of a port. The hard limit of open files, to which Node raises its own at the start, must be above. */
export const MAX_CONNECTIONS = 10_000;

/** The most requests or calls of one kind that are in progress at a time. */
export const MAX_IN_PROGRESS = 100;
/** The most that wait for their turn, and how many milliseconds one waits before it is refused. */
const MAX_WAITING = 100;
const MAX_WAIT_MS = 200;
/** Nobody has more slots than three times those that are free: 75 who comes alone, 42 each of two. */
const SHARE = 3;
/** What one who comes alone may have in progress. */
export const MAX_OF_ONE = 75;
/** So many names stay when they have nothing: a Map that names enter and leave with each request costs garbage. */
const KEPT_NAMES = 1_000;

/** Work in progress: one request or call. */
export type Turn = NonNullable<Awaited<ReturnType<LoadLimit["take"]>>>;

export type LoadLimit = ReturnType<typeof createLimit>;

/** The limit of one kind of work, so that a slow kind holds up no other. Kinds are labels of metrics: there must be few. */
export type LoadLimits = (kind: string) => LoadLimit;

export function loadLimits({ clock, metrics }: { clock: Clock; metrics: Registry }): LoadLimits {
  const limits = new Map<string, LoadLimit>();
  const refused = new Counter({
    name: "media_overload_refused_total",
    help: "Requests and calls that were refused because of overload",
    labelNames: ["kind"] as const,
    registers: [metrics],
  });
  return (kind) => {
    const limit = limits.get(kind) ?? createLimit(clock, () => refused.inc({ kind }));
    limits.set(kind, limit);
    return limit;
  };
}

function createLimit(clock: Clock, refused: () => void) {
  const inProgress = slots(MAX_IN_PROGRESS);
  const queue = slots(MAX_WAITING);
  /** Whose work each is that waits for its turn, in order. */
  const waiting = new Map<() => void, string | undefined>();

  const startNext = () => {
    for (const [start, who] of waiting) {
      if (inProgress.free() <= 0) return;
      if (inProgress.take(who)) start();
    }
  };
  /** Whether a turn came in time; it is counted then. */
  const waitForTurn = async (who: string | undefined): Promise<boolean> => {
    if (!queue.take(who)) return false;
    const settled = new AbortController();
    const start = () => {
      waiting.delete(start);
      settled.abort(ENDED);
    };
    waiting.set(start, who);
    await clock.sleep(MAX_WAIT_MS, settled.signal);
    waiting.delete(start);
    queue.release(who);
    return settled.signal.aborted;
  };
  const begin = (who: string | undefined) => {
    let isCounted = true;
    let isEnded = false;
    const pause = () => {
      if (!isCounted) return;
      isCounted = false;
      inProgress.release(who);
      if (waiting.size > 0) startNext();
    };
    return {
      /** It goes on, but only waits for others, for a time that says nothing of this process: it does not count. */
      pause,
      /** It counts again, whatever the limit. */
      resume: (): void => {
        if (isEnded || isCounted) return;
        isCounted = true;
        inProgress.take(who, true);
      },
      /** It is answered. Further calls change nothing. */
      end: (): void => {
        isEnded = true;
        pause();
      },
    };
  };

  return {
    /** Takes work of `who` on, at once or after a short wait; undefined when it is to be refused. */
    take: async (who?: string) => {
      if (inProgress.take(who) || (await waitForTurn(who))) return begin(who);
      refused();
      return undefined;
    },
  };
}

/** Slots of which nobody may take all, however few or many share them. Work of nobody in particular may. */
function slots(max: number) {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    free: () => max - taken,
    /** Whether there was a free slot, or one was taken all the same. */
    take(who: string | undefined, always = false): boolean {
      const count = who === undefined ? 0 : (held.get(who) ?? 0);
      const free = max - taken;
      if (!always && (free <= 0 || count >= SHARE * free)) return false;
      taken += 1;
      if (who !== undefined) held.set(who, count + 1);
      return true;
    },
    release(who: string | undefined): void {
      taken -= 1;
      if (who === undefined) return;
      const count = (held.get(who) ?? 0) - 1;
      if (count > 0 || held.size < KEPT_NAMES) held.set(who, count);
      else held.delete(who);
    },
  };
}
