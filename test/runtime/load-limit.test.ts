/** How much work is taken on, of whom, and who is refused. */
import { setImmediate as turn } from "node:timers/promises";
import { Registry } from "prom-client";
import { loadLimits, MAX_IN_PROGRESS, MAX_OF_ONE, type Turn } from "#runtime/load-limit.ts";
import { manualClock } from "../support/manual-clock.ts";

const WAIT_MS = 200;

function fixture() {
  const clock = manualClock();
  const metrics = new Registry();
  const limits = loadLimits({ clock, metrics });
  const { take } = limits("create");
  const started: Turn[] = [];
  const refused: (string | undefined)[] = [];
  /** `count` more units of work: each begins, waits or is refused. */
  const arrive = async (count: number, who?: string) => {
    const own: Turn[] = [];
    for (let index = 0; index < count; index++) {
      void take(who).then((one) => (one ? own.push(one) && started.push(one) : refused.push(who)));
    }
    await turn();
    return own;
  };
  return { clock, metrics, limits, started, refused, arrive };
}

describe("work beyond the limit", () => {
  it("waits for its turn, in order, and is refused when that does not come in time", async () => {
    const { clock, started, refused, arrive } = fixture();
    await arrive(MAX_IN_PROGRESS + 2);
    expect([started.length, refused.length]).toEqual([MAX_IN_PROGRESS, 0]);
    started[0]?.end();
    started[0]?.end();
    await turn();
    expect(started).toHaveLength(MAX_IN_PROGRESS + 1);
    clock.advance(WAIT_MS);
    await turn();
    expect([started.length, refused.length]).toEqual([MAX_IN_PROGRESS + 1, 1]);
  });

  it("is refused at once when many wait already, and counted by kind for operators", async () => {
    const { metrics, refused, arrive } = fixture();
    await arrive(2 * MAX_IN_PROGRESS);
    expect(refused).toHaveLength(0);
    await arrive(3);
    expect(refused).toHaveLength(3);
    expect(await metrics.metrics()).toContain('media_overload_refused_total{kind="create"} 3');
  });
});

describe("the limit", () => {
  it("is one of each kind: a slow kind holds up no other", async () => {
    const { limits, arrive } = fixture();
    await arrive(MAX_IN_PROGRESS + 1);
    expect(await limits("read").take()).toBeDefined();
  });

  it("counts no place while work is paused, nor after its end", async () => {
    const { started, arrive } = fixture();
    const [paused] = (await arrive(1)) as [Turn];
    paused.pause();
    paused.pause();
    await arrive(MAX_IN_PROGRESS + 1);
    expect(started).toHaveLength(1 + MAX_IN_PROGRESS);
    paused.resume();
    paused.end();
    paused.resume();
    started.pop()?.pause();
    await turn();
    expect(started).toHaveLength(1 + MAX_IN_PROGRESS);
  });

  it("leaves places to others, and places of those that wait", async () => {
    const { refused, arrive } = fixture();
    const greedy = await arrive(2 * MAX_IN_PROGRESS, "greedy");
    expect([greedy.length, refused.length]).toEqual([
      MAX_OF_ONE,
      2 * (MAX_IN_PROGRESS - MAX_OF_ONE),
    ]);
    const other = await arrive(10, "other");
    expect(other).toHaveLength(10);
    // What it leaves is for others, while it has its share.
    greedy[0]?.end();
    await turn();
    expect(greedy).toHaveLength(MAX_OF_ONE);
    for (const one of other) one.end();
    await turn();
    expect(greedy).toHaveLength(MAX_OF_ONE + 1);
  });
});
