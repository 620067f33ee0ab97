/** Writes "still running" for many polled rows of generation.generations at once. */
import { batchByKey } from "#runtime/batch.ts";
import type { Sql } from "#runtime/postgres.ts";
import type { GenerationRow } from "../domain/generation.ts";

export type Running = {
  row: Pick<GenerationRow, "account_id" | "id" | "fence">;
  progress: number;
  nextStepAt: Date;
};

/** Lets go of a polled row until its next poll; nothing is written where another worker has it by now. */
export type KeepRunning = (running: Running) => Promise<void>;

const MAX_BATCH = 500;

/** With 5,000 jobs at upstreams most of what a worker writes is this. */
export function batchedRunning(sql: Sql): KeepRunning {
  const enqueue = batchByKey<Running, true>({
    maxBatch: MAX_BATCH,
    maxQueue: Number.POSITIVE_INFINITY,
    run: async (_key, items) => {
      await keepRunning(sql, items);
      return items.map(() => true);
    },
    full: () => new Error("too many polls wait to be written"),
  });
  return async (running) => {
    await enqueue("", running);
  };
}

async function keepRunning(sql: Sql, items: readonly Running[]): Promise<void> {
  await sql`
    update generation.generations g
    set progress = r.progress, next_step_at = r.next_step_at, lease_until = null, failures = 0
    from unnest(${items.map(({ row }) => row.account_id)}::text[], ${items.map(({ row }) => row.id)}::text[],
      ${items.map(({ row }) => row.fence.toString())}::text[]::bigint[],
      ${items.map(({ progress }) => progress)}::int[],
      ${items.map(({ nextStepAt }) => nextStepAt.toISOString())}::text[]::timestamptz[])
      as r (account_id, id, fence, progress, next_step_at)
    where g.account_id = r.account_id and g.id = r.id and g.fence = r.fence`;
}
