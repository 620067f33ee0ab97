/** The rate limiter: spends requests of this replica's slices, and draws from Postgres when a slice is spent. */
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Clock } from "#runtime/clock.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import { WINDOW_MS, costMs, sliceOf } from "./bucket.ts";
import { isExpired, newSlice, spend, type Slice, type Decision } from "./slice.ts";

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
  /** The unspent rest of an earlier draw, as the time in which it refills: its quota may have been different. */
  returnedMs: number;
};

export type Drawn = { granted: number; fullAtMs: number };

/** Draws from different buckets in one call, as of `at`; returns one result per draw, in order. */
export type DrawAll = (draws: readonly Draw[], at: Date) => Promise<Drawn[]>;

/** Spends one request of the bucket, or refuses it. Rejects when Postgres is unavailable. */
export type TakeRequest = (bucket: Bucket) => Promise<Decision>;

const MAX_BATCH = 10_000;
const MAX_QUEUE = 100_000;

export type LimiterDeps = { clock: Clock; drawAll: DrawAll };

export function rateLimiter({ clock, drawAll }: LimiterDeps): TakeRequest {
  const slices = new Map<string, Slice>();
  const nowMs = () => clock.now().getTime();
  let sweptAtMs = nowMs();
  const take = (bucket: Bucket) => spend(slices.get(bucketKey(bucket)), bucket.quota, nowMs());
  // Decides as of the draw, with its quota: a call that waited for a draw is served by it whatever changed since.
  const takeDrawn = (bucket: Bucket) => {
    const slice = slices.get(bucketKey(bucket));
    return slice && spend(slice, slice.quota, slice.drawnAtMs);
  };

  const sweep = (atMs: number) => {
    if (Math.abs(atMs - sweptAtMs) < WINDOW_MS) return;
    sweptAtMs = atMs;
    for (const [key, slice] of slices) if (isExpired(slice, atMs)) slices.delete(key);
  };

  const refill = async (buckets: readonly Bucket[]) => {
    const at = clock.now();
    sweep(at.getTime());
    const draws = drawsFor(buckets, slices);
    // The slices are spent from here on: their rest is being returned by the draws.
    for (const draw of draws) slices.delete(bucketKey(draw));
    const results = await drawAll(draws, at);
    for (const [index, draw] of draws.entries()) {
      const drawn = results[index];
      if (!drawn) throw new Error("a draw has no result");
      slices.set(bucketKey(draw), newSlice(draw.quota, drawn, draw.wanted, at.getTime()));
    }
  };

  // A failure is the result of a call alone that still needs a draw; the others are served by what was left.
  const decideInBatch = batchByKey<Bucket, { decision: Decision } | { error: unknown }>({
    maxBatch: MAX_BATCH,
    queue: {
      max: MAX_QUEUE,
      full: () => new Error("too many requests are waiting for rate limits"),
    },
    run: async (_all, buckets) => {
      const early = buckets.map(take);
      const unserved = buckets.filter((_bucket, index) => !early[index]);
      try {
        if (unserved.length > 0) await refill(unserved);
      } catch (error) {
        return early.map((decision) => (decision ? { decision } : { error }));
      }
      return buckets.map((bucket, index) => {
        const decision = early[index] ?? takeDrawn(bucket);
        return decision
          ? { decision }
          : { error: new Error("a draw left a waiting call undecided") };
      });
    },
  });

  return async (bucket) => {
    const immediate = take(bucket);
    if (immediate) return immediate;
    const result = await decideInBatch("", bucket);
    if ("error" in result) throw result.error;
    return result.decision;
  };
}

/** One draw per bucket: a slice, plus one request for each further call that waits. */
function drawsFor(buckets: readonly Bucket[], slices: ReadonlyMap<string, Slice>): Draw[] {
  const draws = new Map<string, Draw>();
  for (const bucket of buckets) {
    const key = bucketKey(bucket);
    const draw = draws.get(key);
    if (draw) draw.wanted += 1;
    else {
      const slice = slices.get(key);
      const returnedMs = slice ? slice.left * costMs(slice.quota) : 0;
      draws.set(key, { ...bucket, wanted: sliceOf(bucket.quota), returnedMs });
    }
  }
  return [...draws.values()];
}

function bucketKey({ accountId, mode, kind }: Bucket): string {
  return `${accountId} ${mode} ${kind}`;
}
