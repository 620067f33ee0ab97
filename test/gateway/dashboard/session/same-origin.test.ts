/** The same-origin check of the dashboard's requests. */
import { describe, expect, it } from "vitest";
import { isSameOrigin } from "../../../../services/gateway/dashboard/session/access.ts";

describe("the same-origin check", () => {
  it.each([
    [true, { "sec-fetch-site": "same-origin", origin: "http://localhost:8080" }],
    [true, { origin: "https://media.example.com" }],
    [false, { "sec-fetch-site": "none" }],
    [false, { "sec-fetch-site": "same-site" }],
    [false, { "sec-fetch-site": "cross-site", origin: "https://media.example.com" }],
    [false, { origin: "https://media.example.com.evil.com" }],
    [false, { origin: "http://media.example.com" }],
    [false, { origin: "https://a.media.example.com" }],
    [false, { origin: "null" }],
    [false, {}],
  ])("returns %s for %j", (expected, headers) => {
    expect(isSameOrigin(headers, "https://media.example.com")).toBe(expected);
  });
});
