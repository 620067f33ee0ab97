/** The limiters of several replicas on one database. */
import { randomId } from "#runtime/id.ts";
import {
  rateLimiter,
  type TakeRequest,
} from "../../../../services/gateway/edge/rate-limit/limiter.ts";
import {
  takeRateLease,
  type RateBucket,
  type TakeLease,
} from "../../../../services/gateway/store/rate-limits.ts";
import { connectedDatabase } from "../../../support/database.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { forTests } from "../../../support/for-tests.ts";

const database = forTests(() => connectedDatabase("gateway"));

async function newBucket(quota: number, kind: RateBucket["kind"] = "creates"): Promise<RateBucket> {
  const accountId = randomId("acct");
  await database.owner`
    insert into gateway.accounts (account_id, name, created_at) values (${accountId}, 'x', now())`;
  return { accountId, mode: "test", kind, quota };
}

/** Replicas on one database and one clock; `counted.leases` is how many they took. */
function replicas(count: number) {
  const clock = manualClock();
  const counted = { leases: 0 };
  const take = takeRateLease(database.sql);
  const takeLease: TakeLease = (...lease) => {
    counted.leases += 1;
    return take(...lease);
  };
  const takers = Array.from({ length: count }, () => rateLimiter({ clock, takeLease }));
  return { clock, counted, takers };
}

/** How many of `count` requests at once, spread over the replicas, are admitted. */
async function admitted(takers: TakeRequest[], bucket: RateBucket, count: number): Promise<number> {
  const calls = Array.from({ length: count }, (_, index) => takers[index % takers.length]);
  const decisions = await Promise.all(calls.map(async (take) => take?.(bucket)));
  return decisions.filter((decision) => decision?.isAdmitted).length;
}

describe("replicas on one database", () => {
  it.each([
    [1, 3],
    [7, 20],
    [600, 1_500],
    [6_000, 13_000],
  ])("admit a minute's quota of %i at once and not one request more", async (quota, requests) => {
    const { takers, counted } = replicas(2);
    expect(await admitted(takers, await newBucket(quota), requests)).toBe(quota);
    expect(counted.leases).toBeLessThanOrEqual(22);
  });

  it.each([
    ["evenly", [0, 1]],
    ["unevenly", [0, 0, 0, 1]],
    ["to one of them only", [0]],
  ])("admit the refill of a minute, within a lease of each, spread %s", async (_how, to) => {
    const { clock, takers, counted } = replicas(2);
    const bucket = await newBucket(600);
    await admitted(takers, bucket, 1_300);
    const inTurn = to.flatMap((index) => takers[index] ?? []);
    let total = 0;
    counted.leases = 0;
    for (let elapsedMs = 0; elapsedMs < 60_000; elapsedMs += 500) {
      clock.advance(500);
      total += await admitted(inTurn, bucket, 20);
    }
    expect(total).toBeGreaterThanOrEqual(600 - 2 * 30);
    expect(total).toBeLessThanOrEqual(600 + 2 * 30);
    expect(counted.leases).toBeLessThan(600);
  });

  it("admit every request of a slow caller, and the quota with a lease of each afterwards", async () => {
    const { clock, takers } = replicas(2);
    const bucket = await newBucket(60);
    for (let count = 0; count < 200; count++) {
      clock.advance(1_500);
      expect(await admitted(takers, bucket, 1)).toBe(1);
    }
    clock.advance(59_000);
    const burst = await admitted(takers, bucket, 200);
    expect(burst).toBeGreaterThanOrEqual(60);
    expect(burst).toBeLessThanOrEqual(60 + 2 * 3);
  });
});

describe("a limiter", () => {
  it("limits accounts, modes and kinds separately", async () => {
    const { takers } = replicas(1);
    const bucket = await newBucket(1);
    for (const one of [bucket, await newBucket(1), { ...bucket, mode: "live" } as const]) {
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
    // Each of both gets more than the quota, so that nothing is left of a lease.
    expect(await admitted(takers, { ...bucket, quota: 1_200 }, 2_500)).toBe(1_200);
  });

  it("admits the quota again a minute after a replica whose clock was an hour ahead", async () => {
    const { clock, takers } = replicas(1);
    const ahead = replicas(1);
    const bucket = await newBucket(600);
    ahead.clock.advance(3_600_000);
    expect(await admitted(ahead.takers, bucket, 700)).toBe(600);
    expect(await admitted(takers, bucket, 1)).toBe(0);
    clock.advance(60_000);
    expect(await admitted(takers, bucket, 700)).toBe(600);
  });
});
