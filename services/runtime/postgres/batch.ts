/** Batches calls of one key: while a batch is in flight, later calls gather for the next one. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { isDatabaseUnavailable } from "./limits.ts";
import { inContext, workContext, type WorkContext } from "../work-context.ts";

export type BatchOptions<In, Out> = {
  /** Returns one result for each item, in order. */
  run: (key: string, items: readonly In[]) => Promise<Out[]>;
  /** 200 if absent. */
  maxBatch?: number;
  /** A failure is the result of all calls of its batch, whatever its cause: none is run again alone. */
  failsTogether?: boolean;
  /** How many calls of one key may wait; one more is refused with `full()`. Absent: any number. */
  queue?: { max: number; full: () => Error };
};

type Waiting<In, Out> = {
  item: In;
  resolve: (out: Out) => void;
  reject: (error: unknown) => void;
  /** What the call is made for. */
  context: WorkContext;
};

/**
 * Each call gets the result of its item. With nothing in flight for its key, a call is sent at the end of this turn of
 * the event loop, together with those that come until then: a batch that ends lets many callers go on. When a batch
 * fails, its items are run one by one, so that only the bad one fails, unless they are to fail together. They do when
 * Postgres is unavailable, which would fail each of them in turn and slowly.
 */
export function batchByKey<In, Out>(
  options: BatchOptions<In, Out>,
): (key: string, item: In) => Promise<Out> {
  const { maxBatch = 200, queue: limit } = options;
  const queues = new Map<string, Waiting<In, Out>[]>();

  const runAll = async (key: string, batch: Waiting<In, Out>[]): Promise<void> => {
    try {
      const outs = await options.run(
        key,
        batch.map(({ item }) => item),
      );
      batch.forEach(({ resolve, reject }, index) => {
        const out = outs[index];
        if (out === undefined) reject(new Error("the batch returned no result for this item"));
        else resolve(out);
      });
    } catch (error) {
      if (batch.length === 1 || options.failsTogether || isDatabaseUnavailable(error)) {
        for (const { reject } of batch) reject(error);
      } else {
        for (const one of batch) await runAll(key, [one]);
      }
    }
  };

  const drain = async (key: string, queue: Waiting<In, Out>[]): Promise<void> => {
    while (queue.length > 0) {
      await endOfTurn();
      const batch = queue.splice(0, maxBatch);
      // Not in the context of the call that found nothing in flight, which may have ended long ago.
      await inContext(batch[0]?.context ?? {}, () => runAll(key, batch));
    }
    queues.delete(key);
  };

  return (key, item) =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject, context: workContext() };
      const queue = queues.get(key);
      if (queue === undefined) {
        const fresh = [waiting];
        queues.set(key, fresh);
        void drain(key, fresh);
      } else if (limit && queue.length >= limit.max) {
        reject(limit.full());
      } else {
        queue.push(waiting);
      }
    });
}
