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
  /** The shortest pause after a look that found something: what ends meanwhile makes room for one larger claim. */
  restMs?: number;
};

/** A reason given is an error not made: rings are many. */
const WOKEN = "rung";

export type DueLoop = AsyncDisposable & {
  /** Look now instead of at the next turn. */
  wake: () => void;
};

/** Runs until disposed; disposal waits for the rows in work, whose `signal` is aborted. */
export function startDueLoop<Row>(work: DueWork<Row>, deps: { clock: Clock; log: Log }): DueLoop {
  const stop = new AbortController();
  const inWork = new Set<Promise<void>>();
  let bell = new AbortController();
  const ring = () => bell.abort(WOKEN);

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

  /** How many rows it found. */
  const turn = async (): Promise<number> => {
    const free = work.concurrency - inWork.size;
    if (free <= 0) return 0;
    try {
      const rows = await work.claim(free);
      for (const row of rows) begin(row);
      return rows.length;
    } catch (error) {
      deps.log.warn({ err: error, loop: work.name }, "cannot look for due rows now");
      return 0;
    }
  };

  const loop = async () => {
    while (!stop.signal.aborted) {
      bell = new AbortController();
      const woken = AbortSignal.any([bell.signal, stop.signal]);
      const found = await turn();
      if (found > 0 && work.restMs) await deps.clock.sleep(work.restMs, stop.signal);
      await deps.clock.sleep(work.idleMs, woken);
    }
  };
  const done = loop();

  return {
    wake: ring,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
      await Promise.allSettled(inWork);
    },
  };
}
