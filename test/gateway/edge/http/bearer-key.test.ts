/** What is said of a request whose API key is not where it should be, or is none of this service. */
import { expect, it } from "vitest";
import { useHarness } from "../../harness.ts";
import { errorOf } from "../../requests.ts";

const harness = useHarness();
const FORM = "Authorization: Bearer <API key>";

it.each<[Record<string, string>, string, string]>([
  [{}, "missing_api_key", `Send your API key in the header ${FORM}.`],
  [
    { "x-api-key": "k" },
    "missing_api_key",
    `Send your API key in the header ${FORM}, not in X-API-Key.`,
  ],
  [
    { authorization: "Key k" },
    "missing_api_key",
    `The header must be ${FORM}. Yours does not begin with Bearer.`,
  ],
  [
    { authorization: "mgs_test_k" },
    "missing_api_key",
    `The header must be ${FORM}. Yours does not begin with Bearer.`,
  ],
  [
    { authorization: "Bearer " },
    "missing_api_key",
    `The header must be ${FORM}. Yours has no key: check that your client has one set.`,
  ],
  [
    { authorization: "Bearer Bearer k" },
    "invalid_api_key",
    `The header must be ${FORM}, once, and have no spaces in the key.`,
  ],
  [
    { authorization: "Bearer sk-abc" },
    "invalid_api_key",
    "Keys of this service begin with mgs_live_ or mgs_test_. Yours does not.",
  ],
  [
    { authorization: "Bearer mgs_test_k" },
    "invalid_api_key",
    "There is no such key. Check that it was copied whole.",
  ],
])("a request with the headers %j is 401 %s", async (headers, code, message) => {
  const response = await harness.send("/v1/balance", { headers });
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  expect(await errorOf(response)).toMatchObject({ code, message });
});
