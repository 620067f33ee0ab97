/** The worker of a process: claims due generations and runs their steps. */
import { startDueLoop } from "#runtime/due-loop.ts";
import type { Shutdown } from "#runtime/shutdown.ts";
import type { Deps } from "./steps/deps.ts";
import { createBulkheads } from "./slots/bulkheads.ts";
import { createClaimWork } from "./claim-work.ts";
import { runTask } from "./run-task.ts";

/** The longest pause between two claims. */
const IDLE_MS = 250;
/** After each claim: what is created or becomes due meanwhile is claimed together. */
const REST_MS = 10;

export type Worker = AsyncDisposable & {
  /** Claims due rows now. */
  wake: () => void;
  /** Whether it works on as many rows as it can. */
  isFull: () => boolean;
};

/** Runs until disposed. Any number of workers may run at the same time, in any number of processes. */
export function startWorker(deps: Deps, concurrency: number, shutdown?: Shutdown): Worker {
  const bulkheads = createBulkheads(concurrency);
  const claimWork = createClaimWork(deps, bulkheads.shares);
  const loop = startDueLoop(
    {
      name: "generations",
      concurrency,
      idleMs: IDLE_MS,
      restMs: REST_MS,
      claim: claimWork,
      work: (row, signal) => bulkheads.within(row, () => runTask(deps, row, signal)),
    },
    { clock: deps.clock, log: deps.log, ...(shutdown ? { shutdown } : {}) },
  );
  return {
    wake: loop.wake,
    isFull: loop.isFull,
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}
