/** Batches the writes of a process: while one statement runs, further writes of the same shape wait for the next. */
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { insertedRow, insertGenerations, type NewGeneration } from "./generations.ts";
import {
  decideGenerationsIfOpen,
  shapeOf,
  updateGenerationsIfHeld,
  type Change,
  type Decision,
  type StepChange,
} from "./steps.ts";
import { insertSubmits, type SubmitRow } from "./submits.ts";

export type Writes = {
  /** Stores a create in step `reserve` and returns its row; undefined if the id exists. */
  insert: (it: NewGeneration) => Promise<GenerationRow | undefined>;
  /** Writes `change` and returns the changed row; undefined if the row has been taken from the caller. */
  update: (row: GenerationRow, change: StepChange) => Promise<GenerationRow | undefined>;
  /** Decides how the generation ends; undefined if this worker has lost the row or an end is decided already. */
  decide: (row: GenerationRow, decision: Decision) => Promise<GenerationRow | undefined>;
  /** Stores the job of a submit; unfenced, so that a worker that lost its row still records the job it started. */
  insertSubmit: (row: SubmitRow) => Promise<void>;
};

const MAX_BATCH = 200;

export function batchedWrites(sql: Sql): Writes {
  // No limit of the queue: each caller waits for its write, and there are at most as many as creates and rows in work.
  const limits = { maxBatch: MAX_BATCH };
  const inserts = batchByKey<NewGeneration, boolean>({
    ...limits,
    run: (_key, rows) => insertGenerations(sql, rows),
  });
  const updates = batchByKey<Change<StepChange>, boolean>({
    ...limits,
    run: (_shape, changes) => updateGenerationsIfHeld(sql, changes),
  });
  const decisions = batchByKey<Change<Decision>, boolean>({
    ...limits,
    run: (_shape, changes) => decideGenerationsIfOpen(sql, changes),
  });
  const submits = batchByKey<SubmitRow, boolean>({
    ...limits,
    run: async (_key, rows) => {
      await insertSubmits(sql, rows);
      return rows.map(() => true);
    },
  });
  return {
    insert: async (it) => ((await inserts("", it)) ? insertedRow(it) : undefined),
    update: async (row, change) =>
      (await updates(shapeOf(change), { row, change })) ? { ...row, ...change } : undefined,
    decide: async (row, decision) => {
      const isDecided = await decisions(shapeOf(decision), { row, change: decision });
      return isDecided ? { ...row, ...decision, step: "settle", failures: 0 } : undefined;
    },
    insertSubmit: async (row) => {
      await submits("", row);
    },
  };
}
