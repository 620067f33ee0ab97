/** Looks for due rows at least once a second, sooner when rung, and works on several at once. */
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

export type DueWork<Row> = {
  name: string;
  /** How many rows are worked on at the same time. */
  concurrency: number;
  /** Takes at most `limit` due rows for this worker alone. */
  claim: (limit: number) => Promise<Row[]>;
  /** Works on one row; what it throws is logged, and the row's lease brings it back. */
  work: (row: Row, signal: AbortSignal) => Promise<void>;
  /** The longest pause between two looks, in milliseconds. */
  idleMs: number;
};

/** A reason given is an error not made: rings are many. */
const RUNG = "rung";

export type DueLoop = AsyncDisposable & {
  /** Look now instead of at the next turn. */
  ring: () => void;
};

/** Runs until disposed; disposal waits for the rows in work, whose `signal` is aborted. */
export function startDueLoop<Row>(work: DueWork<Row>, deps: { clock: Clock; log: Log }): DueLoop {
  const stop = new AbortController();
  const inWork = new Set<Promise<void>>();
  let bell = new AbortController();
  const ring = () => bell.abort(RUNG);

  const begin = (row: Row) => {
    const task = work
      .work(row, stop.signal)
      .catch((error: unknown) => {
        deps.log.error({ err: error, loop: work.name }, "work failed; its lease brings it back");
      })
      .finally(() => {
        inWork.delete(task);
        ring();
      });
    inWork.add(task);
  };

  const turn = async () => {
    const free = work.concurrency - inWork.size;
    if (free <= 0) return;
    try {
      for (const row of await work.claim(free)) begin(row);
    } catch (error) {
      deps.log.warn({ err: error, loop: work.name }, "cannot look for due rows now");
    }
  };

  const loop = async () => {
    while (!stop.signal.aborted) {
      bell = new AbortController();
      const woken = AbortSignal.any([bell.signal, stop.signal]);
      await turn();
      await deps.clock.sleep(work.idleMs, woken);
    }
  };
  const done = loop();

  return {
    ring,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
      await Promise.allSettled(inWork);
    },
  };
}
