/** Ids: their form, and the order in which they stand. */
import { afterEach, expect, it, vi } from "vitest";
import { randomId } from "#runtime/id.ts";

afterEach(() => void vi.useRealTimers());

it("is a prefix and 26 characters of Crockford's base32, never twice the same", () => {
  const ids = Array.from({ length: 10_000 }, () => randomId("txn"));
  expect(ids.every((id) => /^txn_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

it("stands behind every id that was made in an earlier millisecond", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const ids = [0, 1, 2 ** 40, 2 ** 40 + 1, Date.UTC(2026, 10, 21), Date.UTC(2999, 0, 1)].map(
    (at) => {
      vi.setSystemTime(at);
      return randomId("txn");
    },
  );
  expect(ids).toEqual(ids.toSorted());
});
