/** Batches of calls: when they are sent, their limits, and what a failure does. */
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
  /** Calls with these items at once: "ok" or "failed" for each. */
  const outcomes = async (...items: string[]) => {
    const results = Promise.allSettled(items.map((item) => call("k", item)));
    await releaseAll();
    return (await results).map(({ status }) => (status === "fulfilled" ? "ok" : "failed"));
  };
  return { call, runs, releaseAll, outcomes };
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

  it("do not wait for calls of another key", async () => {
    const { call, runs } = gated();
    void call("k", "a");
    void call("l", "b");
    await endOfTurn();
    expect(runs.map(({ key }) => key)).toEqual(["k", "l"]);
  });

  it("are sent one by one when their batch fails, so that only the bad one fails", async () => {
    const { outcomes } = gated();
    expect(await outcomes("a", "b", "bad", "c")).toEqual(["ok", "ok", "failed", "ok"]);
  });

  it("fail together where that is wanted, and nothing is run again", async () => {
    const { outcomes, runs } = gated({ failsTogether: true });
    expect(await outcomes("a", "bad", "c")).toEqual(["failed", "failed", "failed"]);
    expect(runs.map(({ items }) => items)).toEqual([["a", "bad", "c"]]);
  });

  it("fail together when Postgres is unavailable, and the next batch, of the largest size at most, is sent", async () => {
    const { outcomes, runs } = gated({ maxBatch: 3 });
    const together = ["failed", "failed", "failed"];
    expect(await outcomes("a", "b", "outage", "c", "d")).toEqual([...together, "ok", "ok"]);
    expect(runs.map(({ items }) => items)).toEqual([
      ["a", "b", "outage"],
      ["c", "d"],
    ]);
  });

  it("are refused when too many wait, and the waiting ones still succeed", async () => {
    const { outcomes } = gated({ maxQueue: 2 });
    expect(await outcomes("a", "b", "c", "d")).toEqual(["ok", "ok", "failed", "failed"]);
  });
});
