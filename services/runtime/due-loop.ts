/** Claims due rows at regular intervals, or sooner when woken, and works on several at once. */
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import type { Shutdown } from "./shutdown.ts";
import { createWakeSignal } from "./wake-signal.ts";

export type DueWork<Row> = {
  name: string;
  /** How many rows are worked on at the same time. */
  concurrency: number;
  /** Claims at most `limit` due rows for this worker alone. */
  claim: (limit: number) => Promise<Row[]>;
  /** Works on one row. What it throws is logged; the row is due again when its lease ends. */
  work: (row: Row, signal: AbortSignal) => Promise<void>;
  /** The longest pause between two claims, in milliseconds. */
  idleMs: number;
  /**
   * The shortest pause after a claim: what becomes due meanwhile is claimed together. After it the next claim follows at once, if
   * the last one found something.
   */
  restMs?: number;
};

export type DueLoop = AsyncDisposable & {
  /** Claims now instead of at the next turn. */
  wake: () => void;
  /** Whether it works on as many rows as it can. */
  isFull: () => boolean;
};

export type DueLoopDeps = {
  clock: Clock;
  log: Log;
  /** Without it the rows in work are aborted as soon as the loop is disposed of. */
  shutdown?: Pick<Shutdown, "draining" | "deadline">;
};

/**
 * Runs until disposed, and claims nothing more once the service drains. Disposal waits for the rows in work, whose
 * `signal` aborts at the deadline.
 */
export function startDueLoop<Row>(work: DueWork<Row>, deps: DueLoopDeps): DueLoop {
  const disposed = new AbortController();
  const { draining = disposed.signal, deadline = disposed.signal } = deps.shutdown ?? {};
  const stop = AbortSignal.any([disposed.signal, draining]);
  const inWork = new Set<Promise<void>>();
  const { wait, wake } = createWakeSignal(deps.clock);

  const begin = (row: Row) => {
    const task = work
      .work(row, deadline)
      .catch((error: unknown) => {
        deps.log.error(
          { err: error, loop: work.name },
          "work on a row failed, retrying when its lease ends",
        );
      })
      .finally(() => {
        inWork.delete(task);
        wake();
      });
    inWork.add(task);
  };

  const claimAndBegin = async () => {
    const free = work.concurrency - inWork.size;
    if (free <= 0) return 0;
    try {
      const rows = await work.claim(free);
      for (const row of rows) begin(row);
      return rows.length;
    } catch (error) {
      deps.log.warn({ err: error, loop: work.name }, "due rows could not be claimed, retrying");
      return 0;
    }
  };

  const loop = async () => {
    while (!stop.aborted) {
      const found = await claimAndBegin();
      if (work.restMs) await deps.clock.sleep(work.restMs, stop);
      if (!work.restMs || found === 0) await wait(work.idleMs, stop);
    }
  };
  const done = loop();

  return {
    wake,
    isFull: () => inWork.size >= work.concurrency,
    async [Symbol.asyncDispose]() {
      disposed.abort();
      await done;
      await Promise.allSettled(inWork);
    },
  };
}
