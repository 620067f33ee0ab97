/** The arithmetic of buckets and slices. */
import { describe, expect, it } from "vitest";
import {
  msUntilOne,
  remaining,
  secondsUntilFull,
  sliceOf,
} from "../../../../services/gateway/edge/rate-limit/bucket.ts";
import { newSlice, spend } from "../../../../services/gateway/edge/rate-limit/slice.ts";

const NOW = 1_800_000_000_000;

describe("a bucket", () => {
  it.each([
    ["full", 600, 0, 600, 0, 0],
    ["full since long ago", 600, -90_000, 600, 0, 0],
    ["one request short", 600, 100, 599, 1, 0],
    ["a hair below one more request", 600, 59_901, 0, 60, 1],
    ["at one request exactly", 600, 59_900, 1, 60, 0],
    ["empty", 600, 60_000, 0, 60, 100],
    ["empty, of one request a minute", 1, 60_000, 0, 60, 60_000],
    ["half full, of one request a minute", 1, 30_000, 0, 30, 30_000],
    ["of seven a minute, three gone, in whole microseconds", 7, 25_714.286, 4, 26, 0],
    ["of a clock that was set back", 600, 3_600_000, 0, 60, 100],
  ])("that is %s has the right figures", (_name, quota, missingMs, left, fullInSeconds, waitMs) => {
    expect(remaining(quota, NOW + missingMs, NOW)).toBe(left);
    expect(secondsUntilFull(NOW + missingMs, NOW)).toBe(fullInSeconds);
    expect(msUntilOne(quota, NOW + missingMs, NOW)).toBe(waitMs);
  });

  it("is drawn from a hundredth at a time, at least one request", () => {
    expect([1, 99, 199, 200, 600, 6_000].map(sliceOf)).toEqual([1, 1, 1, 2, 6, 60]);
  });
});

describe("a slice", () => {
  const full = () => newSlice(600, { granted: 6, fullAtMs: NOW + 600 }, 6, NOW);

  it("counts its unspent requests as remaining", () => {
    const slice = full();
    expect(spend(slice, 600, NOW)).toMatchObject({ remaining: 599, fullInSeconds: 1 });
    expect(spend(slice, 600, NOW)).toMatchObject({ remaining: 598, fullInSeconds: 1 });
  });

  it("needs a new draw once spent, unless the bucket was left empty", () => {
    const slice = full();
    for (let count = 0; count < 6; count++) spend(slice, 600, NOW);
    expect(spend(slice, 600, NOW)).toBeUndefined();
    const last = newSlice(600, { granted: 1, fullAtMs: NOW + 60_000 }, 6, NOW);
    expect(spend(last, 600, NOW)).toMatchObject({ isAdmitted: true, remaining: 0 });
    expect(spend(last, 600, NOW + 99)).toMatchObject({ isAdmitted: false, retryAfterSeconds: 1 });
    expect(spend(last, 600, NOW + 100)).toBeUndefined();
  });

  it("is not used when it is old, when the clock was set back or when the quota changed", () => {
    expect(spend(full(), 600, NOW + 9_999)).toBeDefined();
    expect(spend(full(), 600, NOW + 10_000)).toBeUndefined();
    expect(spend(full(), 600, NOW - 1)).toBeUndefined();
    expect(spend(full(), 601, NOW)).toBeUndefined();
    expect(spend(undefined, 600, NOW)).toBeUndefined();
  });
});
