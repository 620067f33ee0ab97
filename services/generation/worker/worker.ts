/** The worker of a process: claims due generations and runs their steps. */
import { startDueLoop } from "#runtime/due-loop.ts";
import type { DueLoop } from "#runtime/due-loop.ts";
import type { Deps } from "../deps.ts";
import { claimDueGenerations } from "../store/steps.ts";
import { LEASE_MS, runJob } from "./run-job.ts";

const IDLE_MS = 250;

/** Runs until disposed. Any number of workers may run beside each other. */
export function startWorker(deps: Deps, concurrency: number): DueLoop {
  return startDueLoop(
    {
      name: "generations",
      concurrency,
      idleMs: IDLE_MS,
      claim: (limit) => claimDueGenerations(deps.sql, deps.clock.now(), LEASE_MS, limit),
      work: (row, signal) => runJob(deps, row, signal),
    },
    deps,
  );
}
