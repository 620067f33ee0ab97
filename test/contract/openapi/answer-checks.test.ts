/** The check of responses against the document finds each kind of violation. */
import { contractViolations, isApiUrl } from "../../support/answer-checks.ts";

const ID = "req_24cs2nc9fwy0sqjckkszdxz8dj";
const HEADERS = { "request-id": ID, "content-type": "application/json; charset=utf-8" };
const BALANCE = { object: "balance", mode: "test", available: 1, reserved: 0, limits: [] };
const BALANCE_URL = "http://localhost:8080/v1/balance";

const violationsOf = (status: number, body: object, headers: Record<string, string> = HEADERS) => {
  const text = JSON.stringify(body);
  return contractViolations("GET", BALANCE_URL, new Response(text, { status, headers }), text);
};

const FAILED = { type: "api_error", code: "internal", message: "It failed. Try again." };
const problem = (more: object = {}) => ({ error: { ...FAILED, request_id: ID, ...more } });

describe("a response", () => {
  it.each<[string, number, object, Record<string, string>, string]>([
    ["a status", 418, BALANCE, HEADERS, "the status 418 is not documented"],
    ["a field", 200, { ...BALANCE, debt: 1 }, HEADERS, "additional properties"],
    ["missing fields", 200, { object: "balance" }, HEADERS, "must have required property"],
    ["a header", 200, BALANCE, { ...HEADERS, "x-more": "1" }, "x-more is not documented"],
    ["a missing header", 200, BALANCE, { "content-type": "application/json" }, "is missing"],
    ["a media type", 200, BALANCE, { ...HEADERS, "content-type": "text/html" }, "text/html"],
    ["a code", 500, problem({ code: "unavailable" }), HEADERS, "unavailable is not documented"],
    ["no end of a message", 500, problem({ message: "It failed" }), HEADERS, "of sentences"],
    ["another request's id", 500, problem({ request_id: `${ID}x` }), HEADERS, "request_id"],
  ])(
    "with %s that the document does not allow is reported",
    (_what, status, body, headers, text) => {
      expect(violationsOf(status, body, headers).join("; ")).toContain(text);
    },
  );

  it("of a path outside the API is not checked", () => {
    expect(isApiUrl("http://localhost:8080/v1/balance?x=/healthz")).toBe(true);
    expect(isApiUrl("http://localhost:8080/healthz?x=/v1/")).toBe(false);
  });
});
