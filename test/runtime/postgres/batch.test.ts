/** Batches of calls: when they are sent, their limits, and what a failure does. */
import { describe, expect, it } from "vitest";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { batchByKey } from "#runtime/postgres/batch.ts";
import { inContext, workContext } from "#runtime/work-context.ts";
import { DatabaseUnavailable } from "#runtime/postgres/limits.ts";

/** A batcher whose runs wait until `releaseAll`. */
function gated(options: { maxBatch?: number; maxQueue?: number; failsTogether?: boolean } = {}) {
  const runs: { key: string; items: string[]; release: () => void }[] = [];
  const call = batchByKey<string, string>({
    maxBatch: options.maxBatch ?? 100,
    failsTogether: options.failsTogether ?? false,
    queue: { max: options.maxQueue ?? 100, full: () => new Error("full") },
    run: async (key, items) => {
      await new Promise<void>((resolve) => runs.push({ key, items: [...items], release: resolve }));
      if (items.includes("bad")) throw new Error("bad item");
      if (items.includes("outage")) throw new DatabaseUnavailable("no connection");
      return items.map((item) => `${item}!`);
    },
  });
  const releaseAll = async () => {
    await endOfTurn();
    for (let released = 0; released < runs.length; released++) {
      runs[released]?.release();
      // The end of this run, then the start of the next.
      await endOfTurn();
      await endOfTurn();
    }
  };
  return { call, runs, releaseAll };
}

describe("a batch", () => {
  it("runs for the first of its own calls, not for the one that found nothing in flight", async () => {
    const ranFor: (string | undefined)[] = [];
    const call = batchByKey<string, string>({
      maxBatch: 100,
      run: async (_key, items) => {
        ranFor.push(workContext().requestId);
        await endOfTurn();
        return [...items];
      },
    });
    const first = inContext({ requestId: "first" }, () => call("k", "a"));
    await endOfTurn();
    const second = inContext({ requestId: "second" }, () => call("k", "b"));
    await Promise.all([first, second]);
    expect(ranFor).toEqual(["first", "second"]);
  });
});

describe("calls for one key", () => {
  it("of one turn of the event loop are sent together, and gather while a batch is in flight", async () => {
    const { call, runs, releaseAll } = gated();
    const early = ["a", "b"].map((item) => call("k", item));
    await endOfTurn();
    expect(runs.map(({ items }) => items)).toEqual([["a", "b"]]);
    const late = [call("k", "c")];
    await endOfTurn();
    late.push(call("k", "d"));
    await releaseAll();
    expect(await Promise.all([...early, ...late])).toEqual(["a!", "b!", "c!", "d!"]);
    expect(runs.map(({ items }) => items)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  it("that an ended batch lets go on are sent together", async () => {
    const { call, runs, releaseAll } = gated();
    const again = async (item: string) => call("k", await call("k", item));
    const results = Promise.all(["a", "b", "c"].map(again));
    await releaseAll();
    expect(await results).toEqual(["a!!", "b!!", "c!!"]);
    expect(runs).toHaveLength(2);
  });

  it("do not wait for calls of another key", async () => {
    const { call, runs } = gated();
    void call("k", "a");
    void call("l", "b");
    await endOfTurn();
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

  it("fail together where that is wanted, and nothing is run again", async () => {
    const { call, runs, releaseAll } = gated({ failsTogether: true });
    const results = Promise.allSettled(["a", "bad", "c"].map((item) => call("k", item)));
    await releaseAll();
    expect((await results).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "rejected",
    ]);
    expect(runs.map(({ items }) => items)).toEqual([["a", "bad", "c"]]);
  });

  it("fail together when Postgres is unavailable, and the next batch is sent", async () => {
    const { call, runs, releaseAll } = gated({ maxBatch: 3 });
    const results = Promise.allSettled(
      ["a", "b", "outage", "c", "d"].map((item) => call("k", item)),
    );
    await releaseAll();
    expect((await results).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(runs.map(({ items }) => items)).toEqual([
      ["a", "b", "outage"],
      ["c", "d"],
    ]);
  });

  it("are refused when too many wait, and the waiting ones still succeed", async () => {
    const { call, releaseAll } = gated({ maxQueue: 2 });
    const results = Promise.allSettled(["a", "b", "c", "d"].map((item) => call("k", item)));
    await releaseAll();
    expect((await results).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
  });

  it("are never more in one batch than its limit", async () => {
    const { call, runs, releaseAll } = gated({ maxBatch: 2 });
    const results = Promise.all(["a", "b", "c", "d"].map((item) => call("k", item)));
    await releaseAll();
    await results;
    expect(runs.map(({ items }) => items)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });
});
