/** Random requests: valid ones succeed, all others are refused as documented. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyRequest, mutatedBody, type RawRequest } from "./arbitraries.ts";
import { sendRaw, sendRequest } from "./client.ts";
import { operations, type Body } from "./document.ts";
import { SCHEMA_CODES } from "./faults.ts";
import { useGateway } from "./gateway-under-test.ts";
import { documentAjv } from "../../support/answer-checks.ts";
import { isLong } from "../../support/test-size.ts";

/** FC_SEED repeats a run; FC_RUNS sets the number of random bodies. */
const seed = Number(process.env["FC_SEED"] ?? 20_261_121);
const bodies = Number(process.env["FC_RUNS"] ?? (isLong ? 20_000 : 500));
const requests = Math.ceil(bodies / 4);
const BATCH_SIZE = 10;

const ajv = documentAjv({ allErrors: false });

const harness = useGateway();

const withBody = operations.filter((operation) => operation.body);

describe.each(withBody)("a random body of $id", (operation) => {
  const schema = operation.body?.schema ?? {};

  it("is refused for a field exactly if it violates the document", async () => {
    const isValid = ajv.compile(schema);
    const { secret } = harness.key;
    await fc.assert(
      fc.asyncProperty(mutatedBody(operation.body as Body), async (body) => {
        const request = { secret, body: JSON.stringify(body) };
        const { status, code } = await sendRequest(harness.localUrl, operation, request);
        // A schema cannot say which URLs are public.
        const isAllowed = isValid(body) && code !== "url_not_allowed";
        const isRefused = status === 400 && SCHEMA_CODES.has(code);
        const { successStatus } = operation;
        expect([status, isRefused]).toEqual(isAllowed ? [successStatus, false] : [400, true]);
      }),
      { seed, numRuns: Math.ceil(bodies / withBody.length) },
    );
  });
});

describe("any request", () => {
  // Also what it makes the gateway send keeps the rules of the RPCs, or it would be a 500.
  it("is answered as documented, and never with a 500", async () => {
    const batch = fc.array(anyRequest, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE });
    await fc.assert(
      fc.asyncProperty(batch, async (requestBatch) => {
        const answers = await Promise.all(
          requestBatch.map(({ headers, ...request }) =>
            sendRaw(harness.localUrl, { ...request, headers: withKey(headers) }),
          ),
        );
        expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      }),
      { seed, numRuns: Math.ceil(requests / BATCH_SIZE) },
    );
    expect(harness.logLines.filter(({ msg }) => msg === "request failed")).toEqual([]);
  });
});

function withKey(headers: RawRequest["headers"]): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = { authorization: `Bearer ${harness.key.secret}` };
  for (const [name, value] of headers) all[name] = [all[name] ?? [], value].flat();
  return all;
}
