/** Figures that are read for scrapes: seldom, by one reader at a time, and never waited for long. */
import type { Gauge } from "prom-client";
import { within, type Clock } from "../clock.ts";

/** However many scrapers there are, the figures are read once in this time. */
const FRESH_MS = 5_000;
/** A scrape does not wait longer for them: it has other figures too, which matter most when Postgres hangs. */
const WAIT_MS = 1_000;
/** Figures that are older than this are not shown any more. */
const STALE_MS = 30_000;
/** No comparison with it is true: `ops status` and the alert FiguresUnread look for it. */
const UNREAD = [{ labels: {}, value: NaN }];

/** Returns what was read last; undefined while there is nothing, or nothing recent. Never rejects. */
export function sampled<T>(clock: Clock, read: () => Promise<T>): () => Promise<T | undefined> {
  let last: { atMs: number; value: T } | undefined;
  let reading: Promise<void> | undefined;
  const refresh = async () => {
    const value = await read().catch(() => undefined);
    if (value !== undefined) last = { atMs: clock.monotonicMs(), value };
    reading = undefined;
  };
  const ageMs = () => (last ? clock.monotonicMs() - last.atMs : Infinity);
  return async () => {
    if (ageMs() >= FRESH_MS) await within(clock, WAIT_MS, (reading ??= refresh()));
    return ageMs() < STALE_MS ? last?.value : undefined;
  };
}

/** Shows `values` and nothing else in the gauge; undefined, because they could not be read, as NaN. */
export function showOnly<L extends string>(
  gauge: Gauge<L>,
  values: readonly { labels: Partial<Record<L, string>>; value: number }[] = UNREAD,
): void {
  gauge.reset();
  // A gauge without labels would show 0.
  gauge.remove({});
  for (const { labels, value } of values) gauge.set(labels, value);
}
