/** Keeps storage in step with the table: expiry, deletion, and the removal of what crashes left. */
import { addMs } from "#runtime/clock.ts";
import { startDueLoop } from "#runtime/due-loop.ts";
import { sweepLeftovers } from "../copy/sweep-leftovers.ts";
import { markedDeletion } from "./delete-marked.ts";
import { markExpired } from "./expire.ts";
import type { PeriodicJob } from "#runtime/periodic-job.ts";
import { startPeriodicJobs } from "#runtime/periodic-job.ts";
import type { SweepDeps } from "./sweep-unreferenced.ts";
import { sweepUnreferenced } from "./sweep-unreferenced.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `copies` is the folder of temporary files. */
export type UpkeepDeps = SweepDeps & { copies: string };

/** Every process of the service does all of it: what two do at once is done once. */
export function startUpkeep(deps: UpkeepDeps): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  stack.use(startDueLoop(markedDeletion(deps), deps));
  stack.use(startPeriodicJobs(upkeepJobs(deps), deps));
  return stack;
}

/** What is done again and again, beside the deletion of what is marked for it. */
export function upkeepJobs(deps: UpkeepDeps): PeriodicJob[] {
  const ago = (ms: number): Date => addMs(deps.clock.now(), -ms);
  return [
    {
      name: "mark expired assets",
      firstAfterMs: MINUTE_MS,
      everyMs: HOUR_MS,
      run: (signal) => markExpired(deps, signal),
    },
    {
      name: "remove leftovers of copies",
      firstAfterMs: 0,
      everyMs: 10 * MINUTE_MS,
      run: () => sweepLeftovers(deps.copies, ago(HOUR_MS)),
    },
    {
      name: "remove unfinished uploads",
      firstAfterMs: 5 * MINUTE_MS,
      everyMs: HOUR_MS,
      run: () => deps.store.removeUnfinished(ago(DAY_MS)),
    },
    {
      name: "sweep unreferenced objects",
      firstAfterMs: 10 * MINUTE_MS,
      everyMs: DAY_MS,
      run: async (signal) => {
        const deleted = await sweepUnreferenced(deps, signal);
        if (deleted > 0) deps.log.info({ deleted }, "unreferenced objects deleted");
      },
    },
  ];
}
