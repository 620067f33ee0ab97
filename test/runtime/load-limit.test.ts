/** How much work is taken on: what raises and lowers the limit, and who is refused. */
import { setImmediate as turn } from "node:timers/promises";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import {
  LATE_MS,
  loadLimits,
  MAX_IN_PROGRESS,
  MIN_IN_PROGRESS,
  PACE_MS,
  type Turn,
} from "#runtime/load-limit.ts";
import { manualClock } from "../support/manual-clock.ts";

function fixture() {
  const clock = manualClock();
  const metrics = new Registry();
  const limits = loadLimits({ clock, metrics });
  const { take } = limits("create");
  const started: Turn[] = [];
  let refused = 0;
  /** `count` more units of work: each begins, waits or is refused. */
  const arrive = async (count: number) => {
    for (let index = 0; index < count; index++) {
      void take().then((one) => (one ? started.push(one) : refused++));
    }
    await turn();
  };
  const endAll = async () => {
    for (const one of started.splice(0)) one.end();
    await turn();
  };
  /** `count` units of work end late while another goes on, which is returned. */
  const beLate = async (count = 1) => {
    await arrive(count + 1);
    const held = started.shift();
    clock.advance(LATE_MS + 1);
    await endAll();
    return held;
  };
  return { clock, metrics, limits, started, refused: () => refused, arrive, endAll, beLate };
}

const WAIT_MS = 200;

describe("work beyond the limit", () => {
  it("waits for its turn, in order, and is refused when that does not come in time", async () => {
    const { clock, started, refused, arrive } = fixture();
    await arrive(MAX_IN_PROGRESS + 2);
    expect([started.length, refused()]).toEqual([MAX_IN_PROGRESS, 0]);
    started[0]?.end();
    await turn();
    expect(started).toHaveLength(MAX_IN_PROGRESS + 1);
    clock.advance(WAIT_MS);
    await turn();
    expect([started.length, refused()]).toEqual([MAX_IN_PROGRESS + 1, 1]);
  });

  it("is refused at once when many wait already", async () => {
    const { refused, arrive } = fixture();
    await arrive(2 * MAX_IN_PROGRESS);
    expect(refused()).toBe(0);
    await arrive(3);
    expect(refused()).toBe(3);
  });

  it("is counted by kind for operators", async () => {
    const { metrics, arrive } = fixture();
    await arrive(2 * MAX_IN_PROGRESS + 3);
    const text = await metrics.metrics();
    expect(text).toContain('media_overload_refused_total{kind="create"} 3');
    expect(text).toContain(`media_overload_limit{kind="create"} ${MAX_IN_PROGRESS}`);
  });
});

describe("the limit", () => {
  it("is what was answered in a short time, while answers are late", async () => {
    const { started, arrive, beLate } = fixture();
    await beLate(30);
    await arrive(MAX_IN_PROGRESS);
    expect(started).toHaveLength(29);
  });

  it("is never nothing", async () => {
    const { clock, started, arrive, beLate } = fixture();
    await beLate();
    clock.advance(PACE_MS + 1);
    await arrive(MAX_IN_PROGRESS);
    expect(started).toHaveLength(MIN_IN_PROGRESS - 1);
  });

  it("is gone when an answer is in time and nobody had to wait lately", async () => {
    const { clock, started, arrive, endAll, beLate } = fixture();
    await beLate();
    await arrive(MIN_IN_PROGRESS);
    expect(started).toHaveLength(MIN_IN_PROGRESS - 1);
    while (started.length > 0) await endAll();
    // As many as were answered, less the one that is held.
    await arrive(MAX_IN_PROGRESS);
    expect(started).toHaveLength(MIN_IN_PROGRESS);
    while (started.length > 0) await endAll();
    clock.advance(PACE_MS + 1);
    await arrive(1);
    await endAll();
    await arrive(MAX_IN_PROGRESS);
    expect(started).toHaveLength(MAX_IN_PROGRESS - 1);
  });

  it("is gone when nothing is in progress any more, so that a burst is taken on whole", async () => {
    const { started, arrive, beLate } = fixture();
    const last = await beLate();
    last?.end();
    await arrive(MAX_IN_PROGRESS);
    expect(started).toHaveLength(MAX_IN_PROGRESS);
  });

  it("is one of each kind: a slow kind holds up no other", async () => {
    const { limits, arrive } = fixture();
    await arrive(MAX_IN_PROGRESS + 1);
    expect(await limits("read").take()).toBeDefined();
  });

  it("counts no time and no place while work is paused, nor after its end", async () => {
    const { clock, started, arrive } = fixture();
    await arrive(1);
    const [paused] = started as [Turn];
    paused.pause();
    paused.pause();
    await arrive(MAX_IN_PROGRESS + 1);
    expect(started).toHaveLength(1 + MAX_IN_PROGRESS);
    clock.advance(LATE_MS + 1);
    await turn();
    paused.resume();
    paused.end();
    paused.resume();
    paused.end();
    started.pop()?.pause();
    await arrive(2);
    // It was in time, so that the limit is what it was: one of the two has the place that was left.
    expect(started).toHaveLength(1 + MAX_IN_PROGRESS);
  });
});

describe("work of many", () => {
  it("leaves places to others: who comes alone has half, and no more of the queue", async () => {
    const { limits } = fixture();
    const { take } = limits("read");
    const turns: Record<string, Turn[]> = { greedy: [], other: [] };
    const refused: string[] = [];
    const arrive = async (who: "greedy" | "other", count: number) => {
      for (let index = 0; index < count; index++) {
        void take(who).then((one) => (one ? turns[who]?.push(one) : refused.push(who)));
      }
      await turn();
    };
    await arrive("greedy", 2 * MAX_IN_PROGRESS);
    expect([turns["greedy"]?.length, refused.length]).toEqual([MAX_IN_PROGRESS / 2, 100]);
    await arrive("other", 10);
    expect([turns["other"]?.length, refused.length]).toEqual([10, 100]);
    // What it leaves is for others, while it has more than there are places left.
    turns["greedy"]?.shift()?.end();
    await turn();
    expect(turns["greedy"]).toHaveLength(MAX_IN_PROGRESS / 2 - 1);
    for (const one of turns["other"] ?? []) one.end();
    await turn();
    expect(turns["greedy"]).toHaveLength(MAX_IN_PROGRESS / 2);
  });
});
