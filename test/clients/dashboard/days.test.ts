/** The days of a list's filter, in the URL and as times of the API. */
import { describe, expect, it } from "vitest";
import { daysIn, spanOf } from "../../../clients/dashboard/src/data/url.ts";

describe("the days of a list", () => {
  it("are both part of the span, in the time zone of the user", () => {
    const days = daysIn(new URLSearchParams("from=2026-11-24&to=2026-11-25"));
    expect(spanOf(days)).toEqual({
      created_after: new Date(2026, 10, 23, 23, 59, 59, 999).toISOString(),
      created_before: new Date(2026, 10, 26).toISOString(),
    });
  });

  it("are none where the URL has no such day", () => {
    expect(spanOf(daysIn(new URLSearchParams("from=yesterday&to=")))).toEqual({});
  });
});
