/** Hands pictures to render threads, one at a time to each, in the order they were asked for. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Picture, RenderReply, RenderRequest } from "./task.ts";

export type Renderer = AsyncDisposable & {
  /** Resolves when the file stands at `path`. Rejects when it could not be made or on abort. */
  render(picture: Picture, path: string, signal: AbortSignal): Promise<void>;
};

type Ticket = {
  readonly request: RenderRequest;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
};

type Thread = { readonly worker: Worker; ticket: Ticket | undefined };

/** Threads start with the first picture and stay. An encoder is itself parallel: two are plenty. */
export function createRenderer(threadCount = availableParallelism() >= 4 ? 2 : 1): Renderer {
  const waiting: Ticket[] = [];
  const threads = new Set<Thread>();
  let isClosed = false;

  const next = (): void => {
    if (waiting.length === 0) return;
    const idle = [...threads].find(({ ticket }) => ticket === undefined);
    const thread = idle ?? (threads.size < threadCount ? startThread() : undefined);
    if (thread === undefined) return;
    thread.ticket = waiting.shift();
    if (thread.ticket !== undefined) thread.worker.postMessage(thread.ticket.request);
  };

  const startThread = (): Thread => {
    const worker = new Worker(new URL("./thread.ts", import.meta.url));
    const thread: Thread = { worker, ticket: undefined };
    threads.add(thread);
    const gone = (reason: Error): void => {
      threads.delete(thread);
      thread.ticket?.reject(reason);
      thread.ticket = undefined;
      next();
    };
    worker.on("message", (reply: RenderReply) => {
      const { ticket } = thread;
      thread.ticket = undefined;
      if (reply.ok) ticket?.resolve();
      else ticket?.reject(new Error(reply.message));
      next();
    });
    worker.on("error", gone);
    worker.on("exit", () => gone(new Error("the render thread ended")));
    return thread;
  };

  const render = async (picture: Picture, path: string, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (isClosed) throw new Error("the renderer is closed");
    const abandoned = new Int32Array(new SharedArrayBuffer(4));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ticket = { request: { picture, path, abandoned }, resolve, reject };
    const abandon = (): void => {
      Atomics.store(abandoned, 0, 1);
      const place = waiting.indexOf(ticket);
      if (place === -1) return;
      waiting.splice(place, 1);
      reject(new Error("the render was abandoned"));
    };
    signal.addEventListener("abort", abandon, { once: true });
    waiting.push(ticket);
    next();
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", abandon);
    }
  };

  return {
    render,
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      for (const ticket of waiting.splice(0)) ticket.reject(new Error("the renderer is closed"));
      // The frame being encoded is let finish: ending a thread inside native code is not safe.
      await Promise.all(
        [...threads].map(async ({ worker, ticket }) => {
          if (ticket !== undefined) {
            const ended = Promise.withResolvers<void>();
            worker.once("message", () => ended.resolve());
            worker.once("exit", () => ended.resolve());
            Atomics.store(ticket.request.abandoned, 0, 1);
            await ended.promise;
          }
          await worker.terminate();
        }),
      );
    },
  };
}
