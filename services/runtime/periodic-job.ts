/** Runs jobs at intervals until disposed; a job that fails is logged and runs again at its next turn. */
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

export type PeriodicJob = {
  name: string;
  firstAfterMs: number;
  /** The time from the end of one run to the start of the next. */
  everyMs: number;
  /** `signal` aborts when the jobs are disposed. */
  run: (signal: AbortSignal) => void | Promise<unknown>;
};

/** Disposal waits for the runs in progress. */
export function startPeriodicJobs(
  jobs: readonly PeriodicJob[],
  { clock, log }: { clock: Clock; log: Log },
): AsyncDisposable {
  const stop = new AbortController();
  const { signal } = stop;
  const repeat = async ({ name, firstAfterMs, everyMs, run }: PeriodicJob): Promise<void> => {
    await clock.sleep(firstAfterMs, signal);
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
