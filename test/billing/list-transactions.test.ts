/** ListTransactions: order, filters, pages, access, and the cost of a page. */
import { beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { listEntries } from "../../services/billing/store/entries.ts";
import { forTests } from "../support/for-tests.ts";
import { rowsRead } from "../support/rows-read.ts";
import { billingFixture, refusalOf } from "./billing-fixture.ts";

const { RECHARGE, RESERVE, CAPTURE, RELEASE } = TransactionType;
const [spent, restored] = [randomId("vgen"), randomId("igen")];
const billing = forTests(() => billingFixture());
let of: Awaited<ReturnType<typeof billing.account>>["of"];
beforeAll(async () => {
  const account = await billing.account(100n);
  ({ of } = account);
  await billing.reserve({ hold: account.hold(spent), tokens: 30n });
  await billing.reserve({ hold: account.hold(restored), tokens: 20n });
  await billing.capture({ hold: account.hold(spent), tokens: 28n });
  await billing.release({ hold: account.hold(restored) });
});

const list = async (change: object = {}) =>
  billing.listTransactions({ ...of, limit: 100, ...change });

const changes = async (filter: object) =>
  (await list(filter)).transactions.map(({ type, tokens }) => [type, tokens]);

describe("a list of transactions", () => {
  it("is newest first, each with its change of available, the available Tokens after it, and what a capture charged", async () => {
    const { transactions, hasMore } = await list();
    expect(hasMore).toBe(false);
    expect(
      transactions.map((one) => [
        one.type,
        one.tokens,
        one.availableAfter,
        one.generationId,
        one.charged,
      ]),
    ).toEqual([
      [RELEASE, 20n, 72n, restored, undefined],
      [CAPTURE, 2n, 52n, spent, 28n],
      [RESERVE, -20n, 50n, restored, undefined],
      [RESERVE, -30n, 70n, spent, undefined],
      [RECHARGE, 100n, 100n, undefined, undefined],
    ]);
    expect(transactions.at(-1)).toMatchObject({ note: "invoice 7" });
    for (const { id, createdAt } of transactions) {
      expect(id).toMatch(/^txn_[0-9a-hjkmnp-tv-z]{26}$/);
      expect(createdAt).toBeDefined();
    }
  });

  it("has an operator's reference", async () => {
    const { of: own } = await billing.account(0n);
    await billing.recharge({ ...own, tokens: 5n, reference: "INV-7" });
    expect((await list(own)).transactions).toMatchObject([{ reference: "INV-7" }]);
  });

  it.each([1, 2, 4, 5])("pages by %d without a gap or a repetition", async (limit) => {
    const all = (await list()).transactions.map(({ id }) => id);
    const seen: string[] = [];
    let hasMore = true;
    while (hasMore) {
      const after = seen.at(-1);
      const page = await list(after === undefined ? { limit } : { limit, after });
      expect(page.transactions.length).toBeLessThanOrEqual(limit);
      seen.push(...page.transactions.map(({ id }) => id));
      hasMore = page.hasMore;
    }
    expect(seen).toEqual(all);
  });

  it("filters by generation, by type and by both, also after a cursor", async () => {
    expect(await changes({ generationId: spent })).toEqual([
      [CAPTURE, 2n],
      [RESERVE, -30n],
    ]);
    expect(await changes({ type: RESERVE })).toEqual([
      [RESERVE, -20n],
      [RESERVE, -30n],
    ]);
    expect(await changes({ type: RESERVE, generationId: spent })).toEqual([[RESERVE, -30n]]);
    expect(await changes({ type: TransactionType.ADJUSTMENT })).toEqual([]);
    const [, capture] = (await list()).transactions;
    expect(await changes({ type: RESERVE, after: capture?.id })).toHaveLength(2);
    expect((await list({ type: RESERVE, limit: 1 })).hasMore).toBe(true);
    expect((await list({ type: RESERVE, limit: 2 })).hasMore).toBe(false);
  });

  it("contains nothing of another account or mode", async () => {
    expect((await list({ accountId: randomId("acct") })).transactions).toEqual([]);
    expect((await list({ mode: Mode.TEST })).transactions).toEqual([]);
    expect(await changes({ generationId: "vgen_\0" })).toEqual([]);
    expect(await changes({ generationId: randomId("vgen") })).toEqual([]);
  });

  it("refuses a cursor that is not a transaction of this account and mode, naming the field", async () => {
    const [own] = (await list()).transactions;
    for (const wrong of [
      { after: randomId("txn") },
      { after: "" },
      { after: "txn_\0" },
      { after: own?.id, accountId: randomId("acct") },
      { after: own?.id, mode: Mode.TEST },
      { after: randomId("txn"), generationId: "none" },
    ]) {
      const { reason, fault } = await refusalOf(list(wrong));
      expect(reason).toBe(ErrorReason.NOT_FOUND);
      expect(fault?.field).toBe("after");
    }
  });
});

describe("a long history", () => {
  it("is listed by pages, which read no more rows than that, with any filter", async () => {
    const { accountId } = await billing.account(0n);
    const generation = (number: string) => `'vgen_' || lpad(${number}, 26, '0')`;
    await billing.owner.unsafe(
      `insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
        reserved_change, spent_change, issued_change, available_after, created_at)
      select $1, 'live', 'txn_' || lpad(n::text, 26, '0'),
        case when n <= 2 then 'release' when n % 2 = 0 then 'capture' else 'reserve' end,
        ${generation("((n + 1) / 2)::text")}, 1, 0, 0, 0, 0, 0, timestamptz '2026-01-01' + n * interval '1 s'
      from generate_series(1, 4000) n where n <> 2`,
      [accountId],
    );
    await billing.owner`analyze billing.entries`;
    const base = { accountId, mode: "live" as const, limit: 11 };
    const none = { generationId: undefined, type: undefined, after: undefined };
    const at = (sequence: bigint) => ({ sequence, createdAt: new Date() });
    const filters = [
      { ...none },
      { ...none, after: at(2_000n) },
      { ...none, type: "release" as const },
      { ...none, type: "capture" as const, after: at(2_000n) },
      { ...none, generationId: `vgen_${"1".padStart(26, "0")}` },
      { ...none, generationId: `vgen_${"2".padStart(26, "0")}`, type: "capture" as const },
      { ...none, generationId: `vgen_${"1999".padStart(26, "0")}`, after: at(10n) },
    ];
    for (const filter of filters) {
      const read = await rowsRead(billing.sql, "billing.entries", (tx) =>
        listEntries(tx, { ...base, ...filter }),
      );
      expect(read, `${filter.type} of ${filter.generationId}`).toBeLessThanOrEqual(11);
    }
  });
});
