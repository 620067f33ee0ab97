/** Spends requests of accounts' buckets: from the slices that this replica holds, and from Postgres when one is spent. */
import { batchByKey } from "#runtime/batch.ts";
import type { Clock } from "#runtime/clock.ts";
import type { ModeName } from "#runtime/mode.ts";
import { WINDOW_MS, costMs, sliceOf } from "./bucket.ts";
import { isForgotten, newSlice, spend } from "./slice.ts";
import type { Slice, Verdict } from "./slice.ts";

export type LimitKind = "creates" | "reads";

export type Bucket = {
  accountId: string;
  mode: ModeName;
  kind: LimitKind;
  /** A minute's quota, at least 1. */
  quota: number;
};

export type Draw = Bucket & {
  wanted: number;
  /** What an earlier draw gave and nobody spent, as the time in which it refills: its quota may have been another. */
  returnedMs: number;
};

export type Drawn = { granted: number; fullAtMs: number };

/** Draws from different buckets at once, all as of `at`; one result for each draw, in order. */
export type DrawAll = (draws: readonly Draw[], at: Date) => Promise<Drawn[]>;

/** Spends one request of the bucket, or says when there will be one. Rejects where Postgres does not answer. */
export type TakeRequest = (bucket: Bucket) => Promise<Verdict>;

const MAX_BATCH = 10_000;
const MAX_QUEUE = 100_000;

export type LimiterDeps = { clock: Clock; drawAll: DrawAll };

export function rateLimiter({ clock, drawAll }: LimiterDeps): TakeRequest {
  const slices = new Map<string, Slice>();
  const nowMs = () => clock.now().getTime();
  let sweptAtMs = nowMs();
  const take = (bucket: Bucket) => spend(slices.get(nameOf(bucket)), bucket.quota, nowMs());
  // As of the draw and its quota, whatever has changed since: a call that waited for it gets its answer from it.
  const takeDrawn = (bucket: Bucket) => {
    const slice = slices.get(nameOf(bucket));
    return slice && spend(slice, slice.quota, slice.drawnAtMs);
  };

  const sweep = (atMs: number) => {
    if (Math.abs(atMs - sweptAtMs) < WINDOW_MS) return;
    sweptAtMs = atMs;
    for (const [name, slice] of slices) if (isForgotten(slice, atMs)) slices.delete(name);
  };

  const refill = async (buckets: readonly Bucket[]) => {
    const at = clock.now();
    sweep(at.getTime());
    const draws = drawsFor(buckets, slices);
    // From here on a slice is spent: what is left of it is on its way back.
    for (const draw of draws) slices.delete(nameOf(draw));
    const results = await drawAll(draws, at);
    for (const [index, draw] of draws.entries()) {
      const drawn = results[index];
      if (!drawn) throw new Error("a draw has no result");
      slices.set(nameOf(draw), newSlice(draw.quota, drawn, draw.wanted, at.getTime()));
    }
  };

  // A failure is a verdict for the whole batch: one by one its calls would wait for Postgres in a line.
  const ask = batchByKey<Bucket, { verdict: Verdict } | { error: unknown }>({
    maxBatch: MAX_BATCH,
    maxQueue: MAX_QUEUE,
    full: () => new Error("too many calls wait for their limits"),
    run: async (_all, buckets) => {
      const early = buckets.map(take);
      const unserved = buckets.filter((_bucket, index) => !early[index]);
      try {
        if (unserved.length > 0) await refill(unserved);
      } catch (error) {
        return early.map((verdict) => (verdict ? { verdict } : { error }));
      }
      return buckets.map((bucket, index) => {
        const verdict = early[index] ?? takeDrawn(bucket);
        return verdict
          ? { verdict }
          : { error: new Error("a draw did not serve those who waited for it") };
      });
    },
  });

  return async (bucket) => {
    const known = take(bucket);
    if (known) return known;
    const answer = await ask("", bucket);
    if ("error" in answer) throw answer.error;
    return answer.verdict;
  };
}

/** One draw for each bucket: a slice, and one for each further request that waits for it. */
function drawsFor(buckets: readonly Bucket[], slices: ReadonlyMap<string, Slice>): Draw[] {
  const draws = new Map<string, Draw>();
  for (const bucket of buckets) {
    const name = nameOf(bucket);
    const draw = draws.get(name);
    if (draw) draw.wanted += 1;
    else {
      const slice = slices.get(name);
      const returnedMs = slice ? slice.left * costMs(slice.quota) : 0;
      draws.set(name, { ...bucket, wanted: sliceOf(bucket.quota), returnedMs });
    }
  }
  return [...draws.values()];
}

function nameOf({ accountId, mode, kind }: Bucket): string {
  return `${accountId} ${mode} ${kind}`;
}
