/** Batches of calls: when they are sent, their limits, and what a failure does. */
import { describe, expect, it } from "vitest";
import { batchByKey } from "#runtime/batch.ts";
import { DatabaseUnavailable } from "#runtime/postgres/unavailable.ts";

/** A batcher whose runs wait until `releaseAll`. */
function gated(options: { maxBatch?: number; maxQueue?: number } = {}) {
  const runs: { key: string; items: string[]; release: () => void }[] = [];
  const call = batchByKey<string, string>({
    maxBatch: options.maxBatch ?? 100,
    maxQueue: options.maxQueue ?? 100,
    full: () => new Error("full"),
    run: async (key, items) => {
      await new Promise<void>((resolve) => runs.push({ key, items: [...items], release: resolve }));
      if (items.includes("bad")) throw new Error("bad item");
      if (items.includes("outage")) throw new DatabaseUnavailable("no connection");
      return items.map((item) => `${item}!`);
    },
  });
  const releaseAll = async () => {
    for (let released = 0; released < runs.length; released++) {
      runs[released]?.release();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { call, runs, releaseAll };
}

describe("calls for one key", () => {
  it("are sent at once when nothing is in flight, and gather while a batch is", async () => {
    const { call, runs, releaseAll } = gated();
    const results = ["a", "b", "c"].map((item) => call("k", item));
    expect(runs.map(({ items }) => items)).toEqual([["a"]]);
    await releaseAll();
    expect(await Promise.all(results)).toEqual(["a!", "b!", "c!"]);
    expect(runs.map(({ items }) => items)).toEqual([["a"], ["b", "c"]]);
  });

  it("do not wait for calls of another key", () => {
    const { call, runs } = gated();
    void call("k", "a");
    void call("l", "b");
    expect(runs.map(({ key }) => key)).toEqual(["k", "l"]);
  });

  it("are sent one by one when their batch fails, so that only the bad one fails", async () => {
    const { call, releaseAll } = gated();
    const results = Promise.allSettled(["a", "b", "bad", "c"].map((item) => call("k", item)));
    await releaseAll();
    expect(
      (await results).map((one) => (one.status === "fulfilled" ? one.value : "failed")),
    ).toEqual(["a!", "b!", "failed", "c!"]);
  });

  it("fail together when Postgres is unavailable, and the next batch is sent", async () => {
    const { call, runs, releaseAll } = gated({ maxBatch: 3 });
    const results = Promise.allSettled(
      ["a", "b", "outage", "c", "d"].map((item) => call("k", item)),
    );
    await releaseAll();
    expect((await results).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    expect(runs.map(({ items }) => items)).toEqual([["a"], ["b", "outage", "c"], ["d"]]);
  });

  it("are refused when too many wait, and the waiting ones still succeed", async () => {
    const { call, releaseAll } = gated({ maxQueue: 2 });
    const results = Promise.allSettled(["a", "b", "c", "d"].map((item) => call("k", item)));
    await releaseAll();
    expect((await results).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
  });

  it("are never more in one batch than its limit", async () => {
    const { call, runs, releaseAll } = gated({ maxBatch: 2 });
    const results = Promise.all(["a", "b", "c", "d"].map((item) => call("k", item)));
    await releaseAll();
    await results;
    expect(runs.map(({ items }) => items)).toEqual([["a"], ["b", "c"], ["d"]]);
  });
});
