/** Workers that are stopped in the middle of a burst of submits, and continue when their tasks have ended. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { generationHarness, realClock, type Harness } from "../support/generation-harness.ts";
import type { Running } from "../support/process.ts";
import { auditJobs, unfinished } from "./lost-submits.ts";
import { recordingUpstream } from "./recording-upstream.ts";
import { workerStarter } from "./worker-starter.ts";
import { isLong } from "../support/test-size.ts";

/** Stops in all; so many workers are stopped at a time. One such stop is in kill-workers.test.ts; these take many minutes. */
const SIZE = { stops: 300, workers: 10 };
/** The queued tasks that a worker claims at once: half of its concurrency. */
const BURST = 20;
/** From the first submit of a burst to its last: where the stop falls is chosen at random. */
const BURST_MS = 12;
/** Longer than a lease, and than a submit may still arrive. */
const PAUSE_MS = 21_000;
const PRICE = 105n;

describe.runIf(isLong)(`${SIZE.stops} stops in a burst of submits`, () => {
  it("leave no task with a second upstream job, and no job without its task", async () => {
    await using stack = new AsyncDisposableStack();
    const h = stack.use(await generationHarness(realClock));
    const stopper = stopAtSubmit();
    const upstream = stack.use(await recordingUpstream(0, 9, stopper.onSubmit));
    const start = stack.use(await workerStarter(h, upstream.url));
    const startWorker = () =>
      start({ WORKER_CONCURRENCY: String(2 * BURST), DATABASE_CONNECTIONS: "4" });
    const workers = await Promise.all(Array.from({ length: SIZE.workers }, startWorker));
    const other = await startWorker();
    for (let stops = 0; stops < SIZE.stops; stops += SIZE.workers) {
      other.signal("SIGSTOP");
      const allStopped = stopper.stopEach(workers);
      await Promise.all(workers.map(() => createTasks(h, BURST)));
      await allStopped;
      await systemClock.sleep(PAUSE_MS);
      other.signal("SIGCONT");
      await expect.poll(() => unfinished(h)).toBe(0);
      for (const worker of workers) worker.signal("SIGCONT");
    }
    for (const worker of [...workers, other]) expect(await worker.end("SIGTERM")).toBe(0);
    await auditJobs(h, upstream.jobs);
  }, 3_600_000);
});

/** Stops each worker once, soon after its first submit of the burst has arrived. */
function stopAtSubmit() {
  const toStop = new Map<number, () => void>();
  return {
    onSubmit: (pid: number) => {
      const stop = toStop.get(pid);
      toStop.delete(pid);
      if (stop) setTimeout(stop, Math.random() * BURST_MS);
    },
    /** Resolves when all of them are stopped. */
    stopEach: async (workers: readonly Running[]) => {
      const stopped = workers.map(
        (worker) =>
          new Promise<void>((resolve) => {
            toStop.set(worker.pid, () => {
              worker.signal("SIGSTOP");
              resolve();
            });
          }),
      );
      await Promise.all(stopped);
    },
  };
}

async function createTasks(h: Harness, count: number): Promise<void> {
  const accountId = await h.account(PRICE * BigInt(count));
  const create = () =>
    h.client.createVideo({
      accountId,
      mode: Mode.LIVE,
      generationId: randomId("vgen"),
      model: "alpha-2.0-mini",
      input: { prompt: "a cat" },
    });
  await Promise.all(Array.from({ length: count }, create));
}
