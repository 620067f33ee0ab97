/** Gathers calls for one key while an earlier one is in flight; sends at once when none is. */

export type BatchOptions<In, Out> = {
  /** Answers every item, in order. */
  run: (key: string, items: readonly In[]) => Promise<Out[]>;
  maxBatch: number;
  /** Calls that may wait for one key; one more is refused with `full()`. */
  maxQueue: number;
  full: () => Error;
};

type Waiting<In, Out> = {
  item: In;
  resolve: (out: Out) => void;
  reject: (error: unknown) => void;
};

/**
 * One verdict per call, in order of arrival. Where a batch fails as a whole its items are run one by one,
 * so that a poisonous item fails alone.
 */
export function batchByKey<In, Out>(
  options: BatchOptions<In, Out>,
): (key: string, item: In) => Promise<Out> {
  const queues = new Map<string, Waiting<In, Out>[]>();

  const runAll = async (key: string, batch: Waiting<In, Out>[]): Promise<void> => {
    try {
      const outs = await options.run(
        key,
        batch.map(({ item }) => item),
      );
      batch.forEach(({ resolve, reject }, index) => {
        const out = outs[index];
        if (out === undefined) reject(new Error("the batch gave no verdict for this item"));
        else resolve(out);
      });
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(error);
      for (const one of batch) await runAll(key, [one]);
    }
  };

  const drain = async (key: string, queue: Waiting<In, Out>[]): Promise<void> => {
    while (queue.length > 0) await runAll(key, queue.splice(0, options.maxBatch));
    queues.delete(key);
  };

  return (key, item) =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject };
      const queue = queues.get(key);
      if (queue === undefined) {
        const fresh = [waiting];
        queues.set(key, fresh);
        void drain(key, fresh);
      } else if (queue.length >= options.maxQueue) {
        reject(options.full());
      } else {
        queue.push(waiting);
      }
    });
}
