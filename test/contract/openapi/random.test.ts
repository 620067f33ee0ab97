/** Random requests are answered as documented. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyRequest, type RawRequest } from "./arbitraries.ts";
import { sendRaw } from "./client.ts";
import { useGateway } from "./gateway-under-test.ts";
import { isLong } from "../../support/test-size.ts";

/** FC_SEED repeats a run; FC_RUNS sets the number of requests. */
const seed = Number(process.env["FC_SEED"] ?? 20_261_121);
const requests = Number(process.env["FC_RUNS"] ?? (isLong ? 5_000 : 120));
const BATCH_SIZE = 10;

const harness = useGateway();

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
