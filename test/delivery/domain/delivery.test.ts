/** The jitter of the schedule of attempts; sender.test.ts has the waits, and runtime/retry-after.test.ts the header. */
import { outcomeOf } from "../../../services/delivery/domain/delivery.ts";

const AT = new Date("2026-11-21T12:00:00.000Z");
const PLANNED_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

const waitSeconds = (attemptsMade: number, random: number, retryAfter?: string) => {
  const delivery = { attemptCount: attemptsMade - 1, redelivered: false, resumeAt: null };
  const attempt = { at: AT, durationMs: 0, statusCode: 503, retryAfter };
  const outcome = outcomeOf(delivery, attempt, () => random);
  if (outcome.status !== "pending") return outcome.status;
  return (outcome.nextAttemptAt.getTime() - AT.getTime()) / 1000;
};

describe("the schedule", () => {
  it("has a jitter of at most 20 % either way", () => {
    for (const [index, planned] of PLANNED_SECONDS.entries()) {
      expect(waitSeconds(index + 1, 0)).toBeCloseTo(planned * 0.8, 3);
      expect(waitSeconds(index + 1, 1 - 2 ** -53)).toBeCloseTo(planned * 1.2, 3);
    }
  });

  it("has no further attempt because of a Retry-After", () => {
    expect(waitSeconds(8, 0.5, "60")).toBe("exhausted");
  });
});
