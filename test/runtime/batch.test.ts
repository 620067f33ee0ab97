import { describe, expect, it } from "vitest";
import { batchByKey } from "#runtime/batch.ts";

/** A batcher whose every run waits until it is let go. */
function gated(options: { maxBatch?: number; maxQueue?: number } = {}) {
  const runs: { key: string; items: string[]; go: () => void }[] = [];
  const call = batchByKey<string, string>({
    maxBatch: options.maxBatch ?? 100,
    maxQueue: options.maxQueue ?? 100,
    full: () => new Error("full"),
    run: async (key, items) => {
      await new Promise<void>((resolve) => runs.push({ key, items: [...items], go: resolve }));
      if (items.includes("poison")) throw new Error("poisoned");
      return items.map((item) => `${item}!`);
    },
  });
  const letGo = async () => {
    for (
      let next = runs.find(({ go }) => go !== done);
      next;
      next = runs.find(({ go }) => go !== done)
    ) {
      next.go();
      next.go = done;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { call, runs, letGo };
}

const done = () => {};

describe("calls for one key", () => {
  it("go out at once when nothing is in flight, and gather while something is", async () => {
    const { call, runs, letGo } = gated();
    const answers = ["a", "b", "c"].map((item) => call("k", item));
    expect(runs.map(({ items }) => items)).toEqual([["a"]]);
    await letGo();
    expect(await Promise.all(answers)).toEqual(["a!", "b!", "c!"]);
    expect(runs.map(({ items }) => items)).toEqual([["a"], ["b", "c"]]);
  });

  it("do not wait for those of another key", () => {
    const { call, runs } = gated();
    void call("k", "a");
    void call("l", "b");
    expect(runs.map(({ key }) => key)).toEqual(["k", "l"]);
  });

  it("are made one by one where their batch fails, so that a poisonous one fails alone", async () => {
    const { call, letGo } = gated();
    const answers = Promise.allSettled(["a", "b", "poison", "c"].map((item) => call("k", item)));
    await letGo();
    expect(
      (await answers).map((one) => (one.status === "fulfilled" ? one.value : "failed")),
    ).toEqual(["a!", "b!", "failed", "c!"]);
  });

  it("are refused when too many wait, and those that wait are still answered", async () => {
    const { call, letGo } = gated({ maxQueue: 2 });
    const answers = Promise.allSettled(["a", "b", "c", "d"].map((item) => call("k", item)));
    await letGo();
    expect((await answers).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
  });

  it("are never more in one run than the batch may hold", async () => {
    const { call, runs, letGo } = gated({ maxBatch: 2 });
    const answers = Promise.all(["a", "b", "c", "d"].map((item) => call("k", item)));
    await letGo();
    await answers;
    expect(runs.map(({ items }) => items)).toEqual([["a"], ["b", "c"], ["d"]]);
  });
});
