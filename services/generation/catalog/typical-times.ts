/** How long each model's videos usually take: read now and then, and updated with each finished one. */
import { batchByKey } from "#runtime/postgres/batch.ts";
import { addMs, type Clock } from "#runtime/clock.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { listTypicalTimes, recordTypicalTime } from "../store/usage.ts";

export type TypicalTimes = ReturnType<typeof createTypicalTimes>;

const READ_EVERY_MS = 30_000;

export function createTypicalTimes(sql: Sql, clock: Clock) {
  let known: Promise<Map<string, number>> = Promise.resolve(new Map());
  let readAgainAt = new Date(0);
  const keyOf = (mode: ModeName, model: string) => `${mode} ${model}`;

  const record = batchByKey<number, true>({
    run: async (key, tookMs) => {
      const [mode, model] = key.split(" ") as [ModeName, string];
      const typicalMs = tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length;
      await recordTypicalTime(sql, { mode, model, typicalMs });
      return tookMs.map(() => true);
    },
  });

  return {
    /** The average of the model's recent videos in that mode; undefined if none has been made. */
    knownMs: async (mode: ModeName, model: string): Promise<number | undefined> => {
      if (clock.now() >= readAgainAt) {
        readAgainAt = addMs(clock.now(), READ_EVERY_MS);
        const before = known;
        known = listTypicalTimes(sql).then(
          (rows) => new Map(rows.map((row) => [keyOf(row.mode, row.model), row.typicalMs])),
          () => before,
        );
      }
      return (await known).get(keyOf(mode, model));
    },
    record: (mode: ModeName, model: string, tookMs: number) => record(keyOf(mode, model), tookMs),
  };
}
