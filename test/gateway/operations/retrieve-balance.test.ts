/** retrieveBalance. */
import { describe, expect, it } from "vitest";
import { Code, ConnectError } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { useHarness } from "../harness.ts";
import { errorOf, headersOf } from "../requests.ts";

const harness = useHarness();

describe("GET /v1/balance", () => {
  it("shows the Tokens of the key's account and mode", async () => {
    const { accountId, secret } = await harness.newKey("live");
    const response = await harness.send("/v1/balance", { headers: headersOf(secret) });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(
      '{"object":"balance","mode":"live","available":99500,"reserved":500}',
    );
    expect(harness.calls.at(-1)).toMatchObject({
      method: "getBalance",
      request: { accountId, mode: Mode.LIVE },
      requestId: response.headers.get("request-id"),
    });
  });

  it("returns 503 with Retry-After while billing is unavailable", async () => {
    const { secret } = await harness.newKey();
    harness.backends.getBalance = () => {
      throw new ConnectError("connect ECONNREFUSED 10.2.3.4:81", Code.Unavailable);
    };
    const response = await harness.send("/v1/balance", { headers: headersOf(secret) });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toMatch(/^[1-9][0-9]*$/);
    const text = await response.clone().text();
    expect(text).not.toContain("10.2.3.4");
    expect(await errorOf(response)).toMatchObject({ type: "api_error", code: "unavailable" });
  });
});
