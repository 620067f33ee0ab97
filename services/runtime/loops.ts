/** Loops of a process: work on due rows, jobs at intervals, and the wait that another part can end early. */
import { ENDED } from "./abort.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import type { Shutdown } from "./shutdown.ts";

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
  /** The shortest pause after a claim: rows that become due meanwhile are claimed together. */
  restMs?: number;
};

export type DueLoop = ReturnType<typeof startDueLoop>;

export type DueLoopDeps = {
  clock: Clock;
  log: Log;
  /** Without it the rows in work are aborted as soon as the loop is disposed of. */
  shutdown?: Pick<Shutdown, "draining" | "deadline">;
};

/**
 * Claims due rows at regular intervals, or sooner when woken, and works on several at once. Runs until disposed, and
 * claims nothing more once the service drains. Disposal waits for the rows in work; `signal` aborts at the deadline.
 */
export function startDueLoop<Row>(work: DueWork<Row>, deps: DueLoopDeps) {
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
    /** Claims now instead of at the next turn. */
    wake,
    /** Whether it works on as many rows as it can. */
    isFull: (): boolean => inWork.size >= work.concurrency,
    async [Symbol.asyncDispose]() {
      disposed.abort();
      await done;
      await Promise.allSettled(inWork);
    },
  };
}

export type WakeSignal = ReturnType<typeof createWakeSignal>;

/** A wait that another part of the process can end early. */
export function createWakeSignal(clock: Clock) {
  let isWoken = false;
  let endWait = () => {};
  return {
    /** Resolves after `ms`, when woken (true, also if woken since the last wait), or when `stop` aborts. */
    wait: async (ms: number, stop: AbortSignal): Promise<boolean> => {
      if (!isWoken) {
        const woken = new AbortController();
        endWait = () => woken.abort(ENDED);
        await clock.sleep(ms, AbortSignal.any([woken.signal, stop]));
      }
      const wasWoken = isWoken;
      isWoken = false;
      return wasWoken;
    },
    /** Ends the wait under way, or the next one. */
    wake: (): void => {
      isWoken = true;
      endWait();
    },
  };
}

export type PeriodicJob = {
  name: string;
  /** The time until the first run, where it is not `everyMs`. */
  firstAfterMs?: number;
  /** The time from the end of one run to the start of the next. */
  everyMs: number;
  /** `signal` aborts when the jobs are disposed. */
  run: (signal: AbortSignal) => void | Promise<unknown>;
};

/** A job that fails is logged and runs again at its next turn. Disposal waits for the runs in progress. */
export function startPeriodicJobs(
  jobs: readonly PeriodicJob[],
  { clock, log }: { clock: Clock; log: Log },
): AsyncDisposable {
  const stop = new AbortController();
  const { signal } = stop;
  const repeat = async ({ name, everyMs, firstAfterMs = everyMs, run }: PeriodicJob) => {
    if (firstAfterMs > 0) await clock.sleep(firstAfterMs, signal);
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        log.error({ err: error, job: name }, "periodic job failed, retrying at its next turn");
      }
      await clock.sleep(everyMs, signal);
    }
  };
  const running = jobs.map(repeat);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
    },
  };
}
