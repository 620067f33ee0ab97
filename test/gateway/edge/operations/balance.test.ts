/** retrieveBalance, listTransactions and retrieveUsage. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  BalanceSchema,
  LimitPeriod,
  TokenLimitSchema,
  TransactionSchema,
  TransactionType,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { usageSpan } from "../../../../services/gateway/domain/time.ts";
import { MOVED_TIME, useHarness } from "../../harness.ts";

const harness = useHarness(MOVED_TIME);
const { tokenPrice } = MOVED_TIME.config;

const at = (text: string) => timestampFromDate(new Date(text));

describe("GET /v1/balance", () => {
  it("shows the Tokens of the key's account and mode, and forwards and answers the client's Request-Id", async () => {
    const requestId = "checkout-8841_try-2";
    const response = await harness.get("/v1/balance", { "request-id": requestId });
    expect(await response.text()).toBe(
      '{"object":"balance","mode":"test","available":99500,"reserved":500,"limits":[]}',
    );
    const request = { accountId: harness.key.accountId, mode: Mode.TEST };
    expect(harness.calls).toMatchObject([{ method: "getBalance", request, requestId }]);
    expect(response.headers.get("request-id")).toBe(requestId);
  });

  it("shows the price of live Tokens, the account's limits with what is used of them, and when they start anew", async () => {
    const live = await harness.newKey("live");
    const counts = { tokens: 1_000_000n, used: 420_500n };
    const limit = { period: LimitPeriod.MONTH, ...counts, resetsAt: at("2026-12-01T00:00:00Z") };
    harness.backends.getBalance = () => ({
      balance: create(BalanceSchema, { available: 99_500n }),
      limits: [create(TokenLimitSchema, limit)],
    });
    const resets_at = "2026-12-01T00:00:00.000Z";
    const shown = { scope: "account", period: "month", tokens: 1_000_000, used: 420_500 };
    const answer = { mode: "live", token_price: tokenPrice, limits: [{ ...shown, resets_at }] };
    expect(await live.json("/v1/balance")).toMatchObject(answer);
  });
});

describe("GET /v1/transactions", () => {
  const { CAPTURE, RESERVE, RECHARGE } = TransactionType;

  it("shows each with sign, the available Tokens after it and its generation or note", async () => {
    const created_at = "2026-11-17T12:02:06.402Z";
    const generationId = randomId("vgen");
    const [ofIt, shownOfIt] = [{ generationId }, { generation_id: generationId }];
    const entries: [MessageInitShape<typeof TransactionSchema>, object][] = [
      [
        { type: CAPTURE, tokens: 2n, charged: 3n, availableAfter: 97n, ...ofIt },
        { type: "capture", tokens: 2, charged: 3, available_after: 97, ...shownOfIt },
      ],
      [
        { type: RESERVE, tokens: -5n, availableAfter: 95n, ...ofIt },
        { type: "reserve", tokens: -5, available_after: 95, ...shownOfIt },
      ],
      [
        { type: RECHARGE, tokens: 100n, availableAfter: 100n, note: "a", reference: "ours" },
        { type: "recharge", tokens: 100, available_after: 100, note: "a" },
      ],
    ];
    const id = randomId("txn");
    const transactions = entries.map(([fields]) =>
      create(TransactionSchema, { id, createdAt: at(created_at), ...fields }),
    );
    harness.backends.listTransactions = () => ({ transactions, hasMore: true });
    const data = entries.map(([, shown]) => ({ id, object: "transaction", created_at, ...shown }));
    const page = { object: "list", data, has_more: true };
    expect(await harness.json("/v1/transactions")).toEqual(page);
  });

  it("asks for those of a type", async () => {
    await harness.json("/v1/transactions?type=release");
    const { accountId } = harness.key;
    const request = { accountId, mode: Mode.TEST, limit: 20, type: TransactionType.RELEASE };
    expect(harness.requestsTo("listTransactions")).toMatchObject([request]);
  });
});

describe("GET /v1/usage", () => {
  it("answers groups with what was charged and what is held, and their total", async () => {
    const group = { generations: 2n, tokens: 300n, reserved: 50n };
    harness.backends.getUsage = () => ({ usage: [group, { ...group, keyId: "key_1" }] });
    const sums = { generations: 2, captured: 300, reserved: 50, net: 350 };
    const [from, to] = ["2026-11-16", "2026-11-17"];
    expect(await harness.json(`/v1/usage?from=${from}&to=${to}&group_by=key`)).toEqual({
      object: "usage",
      mode: "test",
      from,
      to,
      group_by: "key",
      data: [sums, { key_id: "key_1", ...sums }],
      total: { generations: 4, captured: 600, reserved: 100, net: 700 },
    });
    const [asked] = harness.requestsTo("getUsage");
    const days = [asked?.from, asked?.to].map((time) => time && timestampDate(time).toISOString());
    const span = ["2026-11-16T00:00:00.000Z", "2026-11-18T00:00:00.000Z"];
    expect([...days, asked?.groupBy]).toEqual([...span, UsageGroup.KEY]);
  });

  it("groups by end user, and by day by default", async () => {
    const usage = [{ generations: 1n, tokens: 3n, endUser: "customer-4711" }];
    harness.backends.getUsage = () => ({ usage });
    expect(await harness.json("/v1/usage?group_by=end_user")).toMatchObject({
      group_by: "end_user",
      data: [{ end_user: "customer-4711", captured: 3 }],
    });
    expect(await harness.json("/v1/usage")).toMatchObject({ group_by: "day" });
    const groups = harness.requestsTo("getUsage").map(({ groupBy }) => groupBy);
    expect(groups).toEqual([UsageGroup.END_USER, UsageGroup.DAY]);
  });

  it.each([
    [{}, "2026-11-01", "2026-11-17"],
    [{ to: "2026-03-05" }, "2026-03-01", "2026-03-05"],
    [{ from: "2026-11-16" }, "2026-11-16", "2026-11-17"],
    [{ from: "2026-01-01" }, "2026-01-01", "2026-04-02"],
  ])("answers for %j the days from %s to %s", (query, from, to) => {
    expect(usageSpan(new Date("2026-11-17T23:30:00Z"), query)).toMatchObject({ from, to });
  });
});
