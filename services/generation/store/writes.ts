/** Batches the writes of a process: while one statement runs, further writes of the same shape wait for the next. */
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { GenerationRow, GenerationView } from "../domain/generation.ts";
import { insertCreates, NOT_ENDED, type NewGeneration } from "./creates.ts";
import { endTasksIfLeased, type End } from "./ends.ts";
import {
  acceptSubmits,
  decideTasksIfOpen,
  shapeOf,
  updateTasksIfLeased,
  type Acceptance,
  type Decision,
  type StepChange,
} from "./steps.ts";

export type Writes = ReturnType<typeof batchedWrites>;

export function batchedWrites(sql: Sql) {
  // No limit of the queue: each caller waits for its write, and there are at most as many as creates and rows in work.
  const batched = <In>(write: (sql: Sql, items: readonly In[]) => Promise<boolean[]>) =>
    batchByKey<In, boolean>({ run: (_key, items) => write(sql, items) });
  const inserts = batched(insertCreates);
  const updates = batched(updateTasksIfLeased);
  const decisions = batched(decideTasksIfOpen);
  const acceptances = batched(acceptSubmits);
  const ends = batched(endTasksIfLeased);
  /** Undefined where the row has been taken from the caller. */
  type Written = Promise<GenerationRow | undefined>;
  return {
    /** Makes a generation, visible at once, and queues its task; undefined if the id exists, or it is too late. */
    insert: async (it: NewGeneration): Promise<GenerationView | undefined> =>
      (await inserts("", it)) ? { ...it, ...NOT_ENDED } : undefined,
    update: async (row: GenerationRow, change: StepChange): Written =>
      (await updates(shapeOf(change), { row, change })) ? { ...row, ...change } : undefined,
    /** Decides how the generation ends; undefined also if an end is decided already. */
    decide: async (row: GenerationRow, decision: Decision): Written => {
      const isDecided = await decisions(shapeOf(decision), { row, change: decision });
      return isDecided ? { ...row, ...decision, step: "settle", failures: 0 } : undefined;
    },
    /** Records the job of the row's submit, whoever has the row now; false if it has one, or its task is gone. */
    accept: (row: GenerationRow, change: Acceptance): Promise<boolean> =>
      acceptances("", { row, change }),
    /** Shows the decided end. */
    end: async (row: GenerationRow, change: End): Written => {
      const { settling } = row;
      if (settling === null || !(await ends(change.step, { row, change }))) return undefined;
      const progress = settling === "success" ? 100 : row.progress;
      return { ...row, ...change, status: settling, progress, leaseUntil: null, failures: 0 };
    },
  };
}
