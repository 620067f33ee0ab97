/** How the dashboard writes times. */
import { expect, it } from "vitest";
import { timeAgo } from "../../../clients/dashboard/src/components/value-format.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");

it.each([
  [0.4, "now"],
  [59.4, "59 sec. ago"],
  [59.6, "1 min. ago"],
  [3_599, "1 hr. ago"],
  [86_399, "yesterday"],
  [40 * 86_400, "Oct 14, 2026"],
])("a time %s seconds ago is %j", (seconds, text) => {
  expect(timeAgo(new Date(NOW - seconds * 1_000).toISOString(), NOW)).toBe(text);
});
