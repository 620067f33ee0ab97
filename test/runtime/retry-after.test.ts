/** The wait that a Retry-After header asks for. */
import { retryAfterMs } from "../../services/runtime/retry-after.ts";

const NOW = new Date("2026-11-21T12:00:00.000Z");

it.each([
  ["7", 7_000],
  [" 120 ", 120_000],
  ["0.5", 500],
  ["Sat, 21 Nov 2026 12:01:00 GMT", 60_000],
  ["Saturday, 21-Nov-26 12:01:00 GMT", 60_000],
  ["Sat Nov 21 12:01:00 2026", 60_000],
  ["Sun Nov  1 12:01:00 2026", 0],
])("%j is seconds or a date", (header, expectedMs) => {
  expect(retryAfterMs(header, NOW)).toBe(expectedMs);
});

it.each(["-3", "later", "", "Sat, 99 Nov 2026 12:01:00 GMT", undefined])(
  "%j is neither, and asks for nothing",
  (header) => {
    expect(retryAfterMs(header, NOW)).toBeUndefined();
  },
);
