/** listTransactions. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { TransactionSchema, TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { randomId } from "#runtime/id.ts";
import { useHarness } from "../../harness.ts";
import { headersOf } from "../../requests.ts";

const PATH = "/v1/transactions";

const harness = useHarness();

const get = (query: string) =>
  harness.send(`${PATH}${query}`, { headers: headersOf(harness.key.secret) });

describe("GET /v1/transactions", () => {
  it("shows each transaction with its sign, the available Tokens after it and its generation or note", async () => {
    const createdAt = timestampFromDate(new Date("2026-11-17T12:02:06.402Z"));
    const [reserve, recharge] = [randomId("txn"), randomId("txn")];
    const generationId = randomId("vgen");
    const transactions = [
      create(TransactionSchema, {
        id: reserve,
        type: TransactionType.RESERVE,
        tokens: -500n,
        availableAfter: 99_500n,
        generationId,
        createdAt,
      }),
      create(TransactionSchema, {
        id: recharge,
        type: TransactionType.RECHARGE,
        tokens: 100_000n,
        availableAfter: 100_000n,
        note: "invoice 8841",
        createdAt,
      }),
    ];
    harness.backends.listTransactions = () => ({ transactions, hasMore: true });
    const response = await get("");
    expect(response.status).toBe(200);
    const created_at = "2026-11-17T12:02:06.402Z";
    expect(await response.json()).toEqual({
      object: "list",
      data: [
        {
          id: reserve,
          object: "transaction",
          type: "reserve",
          tokens: -500,
          available_after: 99_500,
          generation_id: generationId,
          created_at,
        },
        {
          id: recharge,
          object: "transaction",
          type: "recharge",
          tokens: 100_000,
          available_after: 100_000,
          note: "invoice 8841",
          created_at,
        },
      ],
      has_more: true,
    });
    const caller = { accountId: harness.key.accountId, mode: Mode.TEST };
    expect(harness.calls.at(-1)?.request).toMatchObject({ ...caller, limit: 20 });
  });

  it.each([
    ["recharge", TransactionType.RECHARGE],
    ["reserve", TransactionType.RESERVE],
    ["capture", TransactionType.CAPTURE],
    ["release", TransactionType.RELEASE],
    ["adjustment", TransactionType.ADJUSTMENT],
  ])("filters by the type %s", async (name, type) => {
    expect((await get(`?type=${name}`)).status).toBe(200);
    expect(harness.calls.at(-1)?.request).toMatchObject({ type });
  });
});
