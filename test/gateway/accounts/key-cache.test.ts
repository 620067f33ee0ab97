/** The key cache: how long a key is trusted, and how few queries that costs. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { systemClock } from "#runtime/clock.ts";
import { keyCache } from "../../../services/gateway/accounts/keys.ts";
import type { KnownKeyRow } from "../../../services/gateway/store/api-keys.ts";

/** The cache looks at nothing else of a row. */
const row = (hash: string) => ({ hash }) as KnownKeyRow;

function setUp(stored: string[]) {
  const state = { nowMs: 1_000_000, queries: [] as string[][], stored, queryMs: 0, failing: false };
  const find = keyCache({
    clock: { ...systemClock, monotonicMs: () => state.nowMs },
    findKeys: async (hashes) => {
      state.queries.push([...hashes].toSorted());
      await endOfTurn();
      state.nowMs += state.queryMs;
      if (state.failing) throw new Error("no Postgres");
      return hashes.filter((hash) => state.stored.includes(hash)).map(row);
    },
  });
  return { state, find };
}

describe("the key cache", () => {
  it("trusts a key for less than a second after the query that confirmed it began", async () => {
    const { state, find } = setUp(["a"]);
    state.queryMs = 500;
    await find("a");
    state.nowMs += 499;
    expect(await find("a")).toMatchObject({ hash: "a" });
    expect(state.queries).toHaveLength(1);
    state.nowMs += 1;
    state.stored = [];
    expect(await find("a")).toBeUndefined();
    expect(state.queries).toHaveLength(2);
  });

  it("looks up together what is asked for at the same time, each key once", async () => {
    const { state, find } = setUp(["a", "b"]);
    await find("a");
    const asked = ["a", "b", "nobody", "b"];
    const found = await Promise.all(asked.map(find));
    expect(found.map((key) => key?.hash)).toEqual(["a", "b", undefined, "b"]);
    expect(state.queries).toEqual([["a"], ["b", "nobody"]]);
    state.nowMs += 1_000;
    await Promise.all(asked.map(find));
    expect(state.queries.slice(2)).toEqual([["a", "b", "nobody"]]);
  });

  it("rejects while Postgres is unavailable, even for a cached key, and recovers", async () => {
    const { state, find } = setUp(["a"]);
    await find("a");
    state.nowMs += 1_000;
    state.failing = true;
    const results = await Promise.allSettled([find("a"), find("b"), find("a")]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    state.failing = false;
    expect(await find("a")).toMatchObject({ hash: "a" });
  });
});
