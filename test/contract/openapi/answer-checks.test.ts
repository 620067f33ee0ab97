/** The check of answers itself: each way of breaking the document is found. */
import { describe, expect, it } from "vitest";
import { breaches, isOfApi } from "../../support/answer-checks.ts";

const ID = "req_24cs2nc9fwy0sqjckkszdxz8dj";
const HEADERS = { "request-id": ID, "content-type": "application/json; charset=utf-8" };
const BALANCE = { object: "balance", mode: "test", available: 1, reserved: 0 };
const URL_OF_BALANCE = "http://localhost:8080/v1/balance";

const found = (status: number, body: object, headers: Record<string, string> = HEADERS) => {
  const text = JSON.stringify(body);
  return breaches("GET", URL_OF_BALANCE, new Response(text, { status, headers }), text);
};

const problem = (more: object = {}) => ({
  error: { type: "api_error", code: "internal", message: "m", request_id: ID, ...more },
});

describe("an answer", () => {
  it("that keeps to the document breaks nothing", () => {
    expect(found(200, BALANCE)).toEqual([]);
    expect(found(500, problem())).toEqual([]);
  });

  it.each<[string, number, object, Record<string, string>, string]>([
    ["a status", 418, BALANCE, HEADERS, "the status 418 is not documented"],
    ["a field", 200, { ...BALANCE, debt: 1 }, HEADERS, "additional properties"],
    ["a field's value", 200, { ...BALANCE, available: -1 }, HEADERS, "must be >= 0"],
    ["the lack of a field", 200, { object: "balance" }, HEADERS, "must have required property"],
    ["a header", 200, BALANCE, { ...HEADERS, "x-more": "1" }, "x-more is not documented"],
    ["a header's value", 200, BALANCE, { ...HEADERS, "request-id": "!" }, "must match pattern"],
    ["the lack of a header", 200, BALANCE, { "content-type": "application/json" }, "is missing"],
    ["a media type", 200, BALANCE, { ...HEADERS, "content-type": "text/html" }, "text/html"],
    ["a code", 500, problem({ code: "unavailable" }), HEADERS, "unavailable is not documented"],
    ["a type", 500, problem({ type: "billing_error" }), HEADERS, "not in x-error-codes"],
    ["another request's id", 500, problem({ request_id: `${ID}x` }), HEADERS, "request_id"],
  ])("that has %s of its own is found", (_what, status, body, headers, text) => {
    expect(found(status, body, headers).join("; ")).toContain(text);
  });

  it("of another path than the API's is not looked at", () => {
    expect(isOfApi("http://localhost:8080/v1/balance?x=/healthz")).toBe(true);
    expect(isOfApi("http://localhost:8080/healthz?x=/v1/")).toBe(false);
  });
});
