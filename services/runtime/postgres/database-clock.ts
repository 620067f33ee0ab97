/** The time of the database, so that all replicas agree on leases and deadlines whatever their own clocks say. */
import { systemClock, type Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { startPeriodicJobs } from "../loops.ts";
import type { Sql } from "./connect.ts";

const MEASURE_EVERY_MS = 5_000;

/**
 * A clock that shows Postgres' time, as exactly as a statement is quick. Between measurements it goes on with the
 * monotonic clock, so setting the time of this machine does not move it. Rejects when Postgres cannot be asked.
 */
export async function openDatabaseClock(
  sql: Sql,
  { clock = systemClock, log }: { clock?: Clock; log: Log },
): Promise<Clock & AsyncDisposable> {
  /** What to add to the monotonic clock. Postgres read its clock at some moment within the round trip. */
  const measure = async () => {
    const sentAt = clock.monotonicMs();
    const [row] = await sql<[{ ms: number }]>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
    const uncertainty = (clock.monotonicMs() - sentAt) / 2;
    return { offset: row.ms - sentAt - uncertainty, uncertainty };
  };
  let { offset } = await measure();
  const remeasure = async () => {
    const found = await measure();
    // A slow statement says little: the clock is set only where it is certainly wrong.
    if (Math.abs(found.offset - offset) > found.uncertainty) offset = found.offset;
  };
  const job = { name: "measure database time", everyMs: MEASURE_EVERY_MS, run: remeasure };
  const jobs = startPeriodicJobs([job], { clock, log });
  return {
    ...clock,
    now: () => new Date(clock.monotonicMs() + offset),
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}
