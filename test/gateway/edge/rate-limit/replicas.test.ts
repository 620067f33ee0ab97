/** The limiters of several replicas on one database. */
import { beforeAll, describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import { type Sql } from "#runtime/postgres/connect.ts";
import { drawFromPostgres } from "../../../../services/gateway/edge/rate-limit/draw.ts";
import {
  rateLimiter,
  type Bucket,
  type DrawAll,
  type TakeRequest,
} from "../../../../services/gateway/edge/rate-limit/limiter.ts";
import { connectedDatabase } from "../../../support/database.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { forTests } from "../../../support/for-tests.ts";

const database = forTests(() => connectedDatabase("gateway"));
let sql: Sql;
let owner: Sql;
beforeAll(() => void ({ sql, owner } = database));

async function newBucket(quota: number, kind: Bucket["kind"] = "creates"): Promise<Bucket> {
  const accountId = randomId("acct");
  await owner`
    insert into gateway.accounts (account_id, name, created_at) values (${accountId}, 'x', now())`;
  return { accountId, mode: "test", kind, quota };
}

/** Replicas on one database and one clock; `counted.draws` is how many buckets they drew from. */
function replicas(count: number) {
  const clock = manualClock();
  const counted = { draws: 0 };
  const draw = drawFromPostgres(sql);
  const drawAll: DrawAll = (draws, at) => {
    counted.draws += draws.length;
    return draw(draws, at);
  };
  const takers = Array.from({ length: count }, () => rateLimiter({ clock, drawAll }));
  return { clock, counted, takers };
}

/** How many of these concurrent requests, spread over the replicas, are admitted. */
async function admittedAtOnce(takers: TakeRequest[], buckets: Bucket[]): Promise<number> {
  const calls = buckets.flatMap((bucket, index) => {
    const take = takers[index % takers.length];
    return take ? [take(bucket)] : [];
  });
  const decisions = await Promise.all(calls);
  return decisions.filter(({ isAdmitted }) => isAdmitted).length;
}

/** How many of `count` sequential requests, spread over the replicas, are admitted. */
async function admitted(takers: TakeRequest[], bucket: Bucket, count: number): Promise<number> {
  let total = 0;
  for (let index = 0; index < count; index++) {
    const take = takers[index % takers.length];
    if ((await take?.(bucket))?.isAdmitted) total += 1;
  }
  return total;
}

describe("replicas on one database", () => {
  it("admit a minute's quota at once and not one request more", async () => {
    const { takers } = replicas(2);
    expect(await admitted(takers, await newBucket(600), 1_500)).toBe(600);
    const reads = await newBucket(6_000, "reads");
    expect(await admittedAtOnce(takers, Array(13_000).fill(reads))).toBe(6_000);
  });

  it.each([
    ["evenly", [1, 1]],
    ["unevenly", [9, 1]],
    ["to one of them only", [1, 0]],
  ])(
    "admit the quota per minute within a tenth when the load is spread %s",
    async (_how, shares) => {
      const { clock, takers, counted } = replicas(2);
      const bucket = await newBucket(600);
      await admitted(takers, bucket, 1_300);
      const inTurn = shares.flatMap((share, index) =>
        Array.from({ length: share }, () => takers[index] as TakeRequest),
      );
      let total = 0;
      counted.draws = 0;
      for (let elapsedMs = 0; elapsedMs < 60_000; elapsedMs += 500) {
        clock.advance(500);
        total += await admitted(inTurn, bucket, 20);
      }
      expect(total).toBeGreaterThanOrEqual(540);
      expect(total).toBeLessThanOrEqual(660);
      expect(counted.draws).toBeLessThan(600);
    },
  );

  it("admit every request of a slow caller, and exactly the quota afterwards", async () => {
    const { clock, takers } = replicas(2);
    const bucket = await newBucket(60);
    for (let count = 0; count < 200; count++) {
      clock.advance(1_000);
      expect(await admitted(takers, bucket, 1)).toBe(1);
    }
    clock.advance(60_000);
    expect(await admitted(takers, bucket, 200)).toBe(60);
  });

  it("hold nothing back from a slow caller, however many they are", async () => {
    const { clock, takers } = replicas(40);
    const bucket = await newBucket(600);
    for (let round = 0; round < 12; round++) {
      clock.advance(11_000);
      expect(await admitted(takers, bucket, takers.length)).toBe(takers.length);
    }
  });

  it("rarely draw from Postgres under traffic within the limit", async () => {
    const { clock, takers, counted } = replicas(2);
    const bucket = await newBucket(6_000, "reads");
    for (let count = 0; count < 600; count++) {
      clock.advance(100);
      expect(await admitted(takers, bucket, 10)).toBe(10);
    }
    expect(counted.draws).toBeLessThan(6_000 / 50);
  });
});

describe("a limiter", () => {
  it("refuses with the time until the next request, which it then admits within a tenth of a second", async () => {
    const { clock, takers } = replicas(1);
    const bucket = await newBucket(2);
    expect(await admitted(takers, bucket, 2)).toBe(2);
    const refused = await takers[0]?.(bucket);
    expect(refused).toEqual({
      isAdmitted: false,
      quota: 2,
      remaining: 0,
      fullInSeconds: 60,
      retryAfterSeconds: 30,
    });
    clock.advance(29_999);
    expect(await admitted(takers, bucket, 1)).toBe(0);
    clock.advance(100);
    expect(await admitted(takers, bucket, 2)).toBe(1);
  });

  it("limits accounts, modes and kinds separately", async () => {
    const { takers } = replicas(1);
    const bucket = await newBucket(1);
    const other = await newBucket(1);
    for (const one of [bucket, other, { ...bucket, mode: "live" } as const]) {
      expect(await admitted(takers, one, 2)).toBe(1);
      expect(await admitted(takers, { ...one, kind: "reads" }, 2)).toBe(1);
    }
  });

  it("follows a changed quota at once, in both directions", async () => {
    const { clock, takers } = replicas(2);
    const bucket = await newBucket(600);
    await admitted(takers, bucket, 2);
    expect(await admitted(takers, { ...bucket, quota: 10 }, 30)).toBeLessThanOrEqual(10);
    clock.advance(60_000);
    expect(await admitted(takers, { ...bucket, quota: 1_200 }, 2_000)).toBe(1_200);
  });

  it("serves concurrent calls with about one draw per bucket", async () => {
    const { takers, counted } = replicas(1);
    const [one, other] = [await newBucket(600), await newBucket(600)];
    const calls = Array.from({ length: 400 }, (_, index) => (index % 2 ? one : other));
    expect(await admittedAtOnce(takers, calls)).toBe(400);
    expect(counted.draws).toBeLessThanOrEqual(4);
  });

  it("refills although a clock was an hour ahead", async () => {
    const { clock, takers } = replicas(2);
    const bucket = await newBucket(600);
    clock.advance(3_600_000);
    await admitted(takers, bucket, 700);
    clock.advance(-3_600_000);
    await admitted(takers, bucket, 10);
    clock.advance(60_000);
    expect(await admitted(takers, bucket, 700)).toBe(600);
  });

  it("rejects every waiting call while Postgres fails, and recovers", async () => {
    let isDown = true;
    const draw = drawFromPostgres(sql);
    const drawAll: DrawAll = async (draws, at) => {
      if (isDown) throw new Error("down");
      return draw(draws, at);
    };
    const take = rateLimiter({ clock: manualClock(), drawAll });
    const bucket = await newBucket(600);
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => take(bucket)));
    expect(settled.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
    isDown = false;
    expect((await take(bucket)).isAdmitted).toBe(true);
  });

  it("does not return unspent requests again after a failed draw that may have returned them", async () => {
    const clock = manualClock();
    const returned: number[] = [];
    const drawAll: DrawAll = async (draws) => {
      returned.push(...draws.map(({ returnedMs }) => returnedMs));
      if (returned.length === 2) throw new Error("the answer was lost");
      return draws.map(({ wanted }) => ({ granted: wanted, fullAtMs: clock.now().getTime() }));
    };
    const take = rateLimiter({ clock, drawAll });
    const bucket: Bucket = { accountId: "acct", mode: "test", kind: "creates", quota: 600 };
    await take(bucket);
    clock.advance(10_000);
    await expect(take(bucket)).rejects.toThrow("the answer was lost");
    await take(bucket);
    expect(returned).toEqual([0, 500, 0]);
  });
});

describe("concurrent draws", () => {
  const AT = new Date("2026-01-01T00:00:00.000Z");
  const draw = (bucket: Bucket) => ({ ...bucket, wanted: 1, returnedMs: 0 });

  it("grant what the bucket holds and no more", async () => {
    const bucket = await newBucket(50);
    const drawAll = drawFromPostgres(sql);
    const draws = Array.from({ length: 200 }, () => drawAll([draw(bucket)], AT));
    const granted = (await Promise.all(draws)).flat().map((drawn) => drawn.granted);
    expect(granted.filter((one) => one === 1)).toHaveLength(50);
    expect(granted.filter((one) => one === 0)).toHaveLength(150);
  });

  it("from the same buckets in different orders do not deadlock", async () => {
    const buckets = await Promise.all(Array.from({ length: 50 }, () => newBucket(1_000)));
    const drawAll = drawFromPostgres(sql);
    const forth = buckets.map(draw);
    const draws = Array.from({ length: 200 }, (_, index) =>
      drawAll(index % 2 ? forth : forth.toReversed(), AT),
    );
    const granted = (await Promise.all(draws)).flat().map((drawn) => drawn.granted);
    expect(granted.every((one) => one === 1)).toBe(true);
  });
});
