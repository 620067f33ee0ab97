/** Gives pictures to render threads, one at a time to each, in the order of the requests of a kind. */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import type { Picture, RenderRequest, RenderStyle } from "./picture.ts";

/**
 * Threads start with the first picture and stay. One encoder uses several cores, so two threads are enough. An image waits
 * for no video, which takes up to minutes.
 */
export function createRenderer() {
  const limits = { image: pLimit(1), video: pLimit(availableParallelism() >= 4 ? 2 : 1) };
  const idle = new Set<Worker>();
  const abandoned = new Int32Array(new SharedArrayBuffer(4));

  const startThread = (): Worker => {
    const worker = new Worker(new URL("./thread.ts", import.meta.url));
    // Whoever waits for its answer learns of the error too.
    return worker.on("error", () => {}).on("exit", () => idle.delete(worker));
  };
  const renderNow = async (request: RenderRequest): Promise<void> => {
    if (abandoned[0] !== 0) throw new Error("the renderer is closed");
    const [worker = startThread()] = idle;
    idle.delete(worker);
    const answered = once(worker, "message") as Promise<[fault: string | undefined]>;
    worker.postMessage(request);
    const [fault] = await answered;
    idle.add(worker);
    if (fault !== undefined) throw new Error(fault);
  };

  return {
    /** Resolves when the file is complete at `path`; rejects when it could not be made. */
    render: (picture: Picture, style: RenderStyle, path: string): Promise<void> =>
      limits[picture.kind](renderNow, { picture, style, path, abandoned }),
    /** Ends the renders that go on, which reject, and then the threads. */
    async end(renders: Iterable<Promise<void>>): Promise<void> {
      Atomics.store(abandoned, 0, 1);
      // The current frame is finished first: ending a thread inside native code is not safe.
      await Promise.allSettled(renders);
      await Promise.all([...idle].map((worker) => worker.terminate()));
    },
  };
}
