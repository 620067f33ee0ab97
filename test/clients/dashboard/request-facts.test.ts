/** Which generation the dashboard links a request to. */
import { expect, it } from "vitest";
import { generationOf } from "../../../clients/dashboard/src/pages/requests/request-facts.ts";

const CREATE = "/v1/videos/generations";
const RETRIEVE = "/v1/videos/generations/{id}";

it.each([
  [CREATE, 202, undefined, true],
  [CREATE, 400, "missing_field", false],
  [CREATE, 402, "insufficient_balance", false],
  // An image that was made and failed.
  [CREATE, 502, "upstream_failed", true],
  [RETRIEVE, 200, undefined, true],
  [RETRIEVE, 404, "generation_not_found", false],
  [RETRIEVE, 409, "not_cancelable", true],
] as const)("links %s %d %s to a generation that exists: %s", (path, status, code, isLinked) => {
  const request = { path, status, generation_id: "vgen_1", ...(code && { error_code: code }) };
  expect(generationOf(request)).toBe(isLinked ? "vgen_1" : undefined);
});
