/** Rows of generation.durations: a moving average of how long each model's videos take. */
import type { ModeName } from "#vocabulary/mode.ts";
import type { Sql } from "#runtime/postgres/connect.ts";

export type DurationRow = { mode: ModeName; model: string; typicalMs: number };

/** The weight of a new duration in the average. */
const WEIGHT = 0.1;

export function listDurations(sql: Sql): Promise<DurationRow[]> {
  return sql<DurationRow[]>`select mode, model, typical_ms from generation.durations`;
}

export async function recordDuration(sql: Sql, row: DurationRow): Promise<void> {
  await sql`
    insert into generation.durations as d (mode, model, typical_ms)
    values (${row.mode}, ${row.model}, ${row.typicalMs})
    on conflict (mode, model) do update
    set typical_ms = d.typical_ms + (excluded.typical_ms - d.typical_ms) * ${WEIGHT}`;
}
