/** The words for where a delivery stands. */
import { expect, it } from "vitest";
import { timeAgo } from "../../../clients/dashboard/src/data/value-format.ts";
import {
  answerOf,
  detailOf,
  isFailing,
  lastAnswerOf,
} from "../../../clients/dashboard/src/components/delivery-words.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const attempt = { at: "2026-11-21T11:59:00Z", duration_ms: 9, status_code: 503 };

it("a delivery whose attempts fail says so, and when the next try is", () => {
  const delivery = {
    status: "pending" as const,
    attempts: [attempt],
    next_attempt_at: "2026-11-21T12:04:00Z",
  };
  expect([isFailing(delivery), detailOf(delivery, NOW)]).toEqual([
    true,
    `next try ${timeAgo(delivery.next_attempt_at, NOW)}`,
  ]);
  expect(detailOf(delivery, NOW + 600_000)).toBe("next try now");
});

it("a delivery without an attempt is not failing", () => {
  const delivery = { status: "pending" as const, attempts: [] };
  expect([isFailing(delivery), detailOf(delivery, NOW)]).toEqual([false, "first try now"]);
});

it("a delivery that has ended says why nothing more is sent", () => {
  const wordsFor = (status: "delivered" | "exhausted" | "disabled") =>
    detailOf({ status, attempts: [attempt] }, NOW);
  expect([wordsFor("delivered"), wordsFor("exhausted"), wordsFor("disabled")]).toEqual([
    undefined,
    "every try failed",
    "nothing more is sent to this URL",
  ]);
});

it("a delivery says how its last attempt was answered", () => {
  const { at, duration_ms } = attempt;
  const answers = [{ at, duration_ms, error: "timeout" }, attempt];
  expect(lastAnswerOf({ attempts: answers })).toBe("answered 503");
  expect(lastAnswerOf({ attempts: answers.slice(0, 1) })).toBe("no answer in time");
  expect(answerOf({ error: "dns_error" })).toBe("host not found");
  expect(answerOf({ error: "network_error" })).toBe("no answer");
  expect(lastAnswerOf({ attempts: [] })).toBeUndefined();
});
