/** retrieveBalance. */
import { describe, expect, it } from "vitest";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  BalanceSchema,
  LimitPeriod,
  TokenLimitSchema,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { useHarness } from "../../harness.ts";
import { headersOf } from "../../requests.ts";

const harness = useHarness();

describe("GET /v1/balance where the operator has set a price of a Token", () => {
  const priced = useHarness({ config: { tokenPrice: { amount: "0.01", currency: "USD" } } });

  it("says it of live Tokens; test Tokens cost no money", async () => {
    const balanceOf = async (mode: "live" | "test") => {
      const { secret } = await priced.newKey(mode);
      return (await priced.send("/v1/balance", { headers: headersOf(secret) })).json();
    };
    expect(await balanceOf("live")).toMatchObject({
      token_price: { amount: "0.01", currency: "USD" },
    });
    expect(await balanceOf("test")).not.toHaveProperty("token_price");
  });
});

describe("GET /v1/balance", () => {
  it("shows the Tokens of the key's account and mode", async () => {
    const { accountId, secret } = await harness.newKey("live");
    const response = await harness.send("/v1/balance", { headers: headersOf(secret) });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(
      '{"object":"balance","mode":"live","available":99500,"reserved":500,"limits":[]}',
    );
    expect(harness.calls.at(-1)).toMatchObject({
      method: "getBalance",
      request: { accountId, mode: Mode.LIVE },
      requestId: response.headers.get("request-id"),
    });
  });

  it("shows the account's limits with what is used of them, and when they start anew", async () => {
    const { secret } = await harness.newKey("live");
    const resetsAt = timestampFromDate(new Date("2026-12-01T00:00:00Z"));
    const limit = { period: LimitPeriod.MONTH, tokens: 1_000_000n, used: 420_500n, resetsAt };
    harness.backends.getBalance = () => ({
      balance: create(BalanceSchema, { available: 99_500n }),
      limits: [create(TokenLimitSchema, limit)],
    });
    const response = await harness.send("/v1/balance", { headers: headersOf(secret) });
    expect(await response.json()).toMatchObject({
      limits: [
        {
          scope: "account",
          period: "month",
          tokens: 1_000_000,
          used: 420_500,
          resets_at: "2026-12-01T00:00:00.000Z",
        },
      ],
    });
  });
});
