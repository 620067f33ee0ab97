/** A worker's writes of one row, gathered: writes of the same shape go to Postgres together while one is under way. */
import { batchByKey } from "#runtime/batch.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { decideGenerationsIfOpen, shapeOf, updateGenerationsIfHeld } from "./steps.ts";
import type { Change, Decision, StepChange } from "./steps.ts";
import { insertSubmits } from "./submits.ts";
import type { SubmitRow } from "./submits.ts";

export type Writes = {
  /** Writes `change` where this worker still holds the row; undefined where it does not any more. */
  update: (row: GenerationRow, change: StepChange) => Promise<GenerationRow | undefined>;
  /** Decides how the generation ends, where nothing was decided yet. Money and state follow from it. */
  decide: (row: GenerationRow, decision: Decision) => Promise<GenerationRow | undefined>;
  /** Unfenced, so that even a worker that lost its row leaves word of the job it started. */
  insertSubmit: (row: SubmitRow) => Promise<void>;
};

const MAX_BATCH = 200;
/** Callers are as many as the rows that the process works on. */
const MAX_QUEUE = Number.POSITIVE_INFINITY;

export function batchedWrites(sql: Sql): Writes {
  const limits = { maxBatch: MAX_BATCH, maxQueue: MAX_QUEUE, full };
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
    update: async (row, change) =>
      (await updates(shapeOf(change), { row, change })) ? { ...row, ...change } : undefined,
    decide: async (row, decision) => {
      const isOurs = await decisions(shapeOf(decision), { row, change: decision });
      return isOurs ? { ...row, ...decision, step: "settle", failures: 0 } : undefined;
    },
    insertSubmit: async (row) => {
      await submits("", row);
    },
  };
}

function full(): Error {
  return new Error("too many writes wait");
}
