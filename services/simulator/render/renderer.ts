/** Gives pictures to render threads, one at a time to each, in the order of the requests. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Picture, RenderReply, RenderRequest, RenderStyle } from "./picture.ts";

export type Renderer = AsyncDisposable & {
  /** Resolves when the file is complete at `path`; rejects when it could not be made. */
  render(picture: Picture, style: RenderStyle, path: string): Promise<void>;
};

/** A render that waits for a thread, or runs in one. */
type PendingRender = {
  readonly request: RenderRequest;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
};

type Thread = { readonly worker: Worker; current: PendingRender | undefined };

/** Threads start with the first picture and stay. One encoder uses several cores, so two threads are enough. */
export function createRenderer(threadCount = availableParallelism() >= 4 ? 2 : 1): Renderer {
  const waiting: PendingRender[] = [];
  const threads = new Set<Thread>();
  let isClosed = false;

  const next = (): void => {
    if (waiting.length === 0) return;
    const idle = [...threads].find(({ current }) => current === undefined);
    const thread = idle ?? (threads.size < threadCount ? startThread() : undefined);
    if (thread === undefined) return;
    thread.current = waiting.shift();
    if (thread.current !== undefined) thread.worker.postMessage(thread.current.request);
  };

  const startThread = (): Thread => {
    const worker = new Worker(new URL("./thread.ts", import.meta.url));
    const thread: Thread = { worker, current: undefined };
    threads.add(thread);
    const gone = (reason: Error): void => {
      threads.delete(thread);
      thread.current?.reject(reason);
      thread.current = undefined;
      next();
    };
    worker.on("message", (reply: RenderReply) => {
      const { current } = thread;
      thread.current = undefined;
      if (reply.ok) current?.resolve();
      else current?.reject(new Error(reply.message));
      next();
    });
    worker.on("error", gone);
    worker.on("exit", () => gone(new Error("the render thread ended")));
    return thread;
  };

  const render = (picture: Picture, style: RenderStyle, path: string): Promise<void> => {
    if (isClosed) return Promise.reject(new Error("the renderer is closed"));
    const abandoned = new Int32Array(new SharedArrayBuffer(4));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ request: { picture, style, path, abandoned }, resolve, reject });
    next();
    return promise;
  };

  return {
    render,
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(new Error("the renderer is closed"));
      // The current frame is finished first: ending a thread inside native code is not safe.
      await Promise.all(
        [...threads].map(async ({ worker, current }) => {
          if (current !== undefined) {
            const ended = Promise.withResolvers<void>();
            worker.once("message", () => ended.resolve());
            worker.once("exit", () => ended.resolve());
            Atomics.store(current.request.abandoned, 0, 1);
            await ended.promise;
          }
          await worker.terminate();
        }),
      );
    },
  };
}
