/** What an upstream's error codes are taken to mean. */
import { expect, it } from "vitest";
import { UPSTREAM_FAILURES } from "../../../../services/generation/providers/shared/failures.ts";
import { refusalBy } from "../../../../services/generation/providers/shared/rules.ts";

const fault = { code: "Sensitive", message: "" };
const rules = [{ code: /^Sensitive/, means: UPSTREAM_FAILURES.promptRejected }];

it.each([
  [400, { kind: "refused", failure: UPSTREAM_FAILURES.promptRejected }],
  [500, { kind: "unknown" }],
  [503, { kind: "unknown" }],
])("after a %i, a known code is an answer of this kind", (status, meaning) => {
  expect(refusalBy(rules, { status, headers: {}, body: fault }, fault)).toEqual(meaning);
});
