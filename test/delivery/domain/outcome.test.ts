/** The schedule of attempts: exact waits, jitter, and the effect of Retry-After. */
import { describe, expect, it } from "vitest";
import { nextAttemptAt } from "../../../services/delivery/domain/outcome.ts";

const AT = new Date("2026-11-21T12:00:00.000Z");
const PLANNED_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

const waitSeconds = (attemptsMade: number, random: number, retryAfter?: string) => {
  const next = nextAttemptAt({ attemptsMade, endedAt: AT, retryAfter }, () => random);
  return next && (next.getTime() - AT.getTime()) / 1000;
};

describe("the schedule", () => {
  it("waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, and ends after the eighth attempt", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((made) => waitSeconds(made, 0.5));
    expect(waits).toEqual([...PLANNED_SECONDS, undefined]);
  });

  it("has a jitter of at most 20 % either way", () => {
    for (const [index, planned] of PLANNED_SECONDS.entries()) {
      expect(waitSeconds(index + 1, 0)).toBeCloseTo(planned * 0.8, 3);
      expect(waitSeconds(index + 1, 1 - 2 ** -53)).toBeCloseTo(planned * 1.2, 3);
    }
  });

  it.each([
    ["7", 7],
    ["10", 10],
    ["86400", 10],
    ["99999999999999999999999", 10],
    ["1", 5],
    ["0", 5],
    ["Sat, 21 Nov 2026 12:00:08 GMT", 8],
    ["Saturday, 21-Nov-26 12:00:08 GMT", 8],
    ["Sat, 21 Nov 2099 12:00:00 GMT", 10],
    ["Sat, 21 Nov 1999 12:00:00 GMT", 5],
    ["-5", 5],
    ["1.5", 5],
    ["soon", 5],
    ["", 5],
  ])("with a Retry-After of %j after the first attempt waits %d s", (header, seconds) => {
    expect(waitSeconds(1, 0.5, header)).toBe(seconds);
  });

  it("neither waits less nor adds an attempt because of a Retry-After", () => {
    expect(waitSeconds(2, 0.5, "1")).toBe(300);
    expect(waitSeconds(8, 0.5, "60")).toBeUndefined();
  });
});
