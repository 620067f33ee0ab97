/** Runs jobs again and again until disposed; one that fails is logged and comes at its next turn. */
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";

export type Job = {
  name: string;
  firstAfterMs: number;
  /** From the end of one run to the begin of the next. */
  everyMs: number;
  run: (signal: AbortSignal) => Promise<unknown>;
};

/** Disposal aborts `signal` and waits for the runs under way. */
export function startJobs(
  jobs: readonly Job[],
  { clock, log }: { clock: Clock; log: Log },
): AsyncDisposable {
  const stop = new AbortController();
  const { signal } = stop;
  const repeat = async ({ name, firstAfterMs, everyMs, run }: Job): Promise<void> => {
    await clock.sleep(firstAfterMs, signal);
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        log.error({ err: error, job: name }, "upkeep failed; it comes again at its next turn");
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
