/** Transactions and statements: order, filters, pages and sums, and how much of an old account they read. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { heldBefore, listEntries } from "../../services/billing/store/entries.ts";
import { forTests } from "../support/for-tests.ts";
import { rowsRead } from "../support/rows-read.ts";
import { billingFixture, refusalOf } from "./billing-fixture.ts";

const { RECHARGE, RESERVE, CAPTURE, RELEASE } = TransactionType;
const [spent, restored] = [randomId("vgen"), randomId("igen")];
const billing = forTests(() => billingFixture());
const listed = forTests(() => billing.account(100n));
beforeAll(async () => {
  await billing.reserve({ hold: listed.hold(spent), tokens: 30n });
  await billing.reserve({ hold: listed.hold(restored), tokens: 20n });
  await billing.capture({ hold: listed.hold(spent), tokens: 28n });
  await billing.release({ hold: listed.hold(restored) });
});

const list = async (change: object = {}) =>
  billing.listTransactions({ ...listed.of, limit: 100, ...change });

const changes = async (filter: object) =>
  (await list(filter)).transactions.map(({ type, tokens }) => [type, tokens]);

describe("a list of transactions", () => {
  it("is newest first, each with its change of available, the available Tokens after it, and what a capture charged", async () => {
    const { transactions, hasMore } = await list();
    expect(hasMore).toBe(false);
    const shown = transactions.map((one) => {
      const { type, tokens, availableAfter, generationId, charged } = one;
      return [type, tokens, availableAfter, generationId, charged];
    });
    expect(shown).toEqual([
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
    for (let hasMore = true; hasMore;) {
      const page = await list({ limit, after: seen.at(-1) });
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
    await expect(changes({ generationId: "vgen_\0" })).rejects.toThrow("generation_id");
    expect(await changes({ generationId: randomId("vgen") })).toEqual([]);
  });

  it("refuses a cursor that is not a transaction of this account and mode, naming the field", async () => {
    const [own] = (await list()).transactions;
    const refused = { reason: ErrorReason.NOT_FOUND, field: "after" };
    for (const wrong of [
      { after: randomId("txn") },
      { after: "" },
      { after: "txn_\0" },
      { after: own?.id, accountId: randomId("acct") },
      { after: own?.id, mode: Mode.TEST },
      { after: randomId("txn"), generationId: randomId("vgen") },
    ])
      expect(await refusalOf(list(wrong))).toMatchObject(refused);
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
      const list = (tx: Db) => listEntries(tx, { ...base, ...filter });
      const read = await rowsRead(billing.sql, "billing.entries", list);
      expect(read, `${filter.type} of ${filter.generationId}`).toBeLessThanOrEqual(11);
    }
  });
});

const MONTHS = ["2026-01", "2026-02", "2026-03", "2026-04"];
const LATER = new Date("2026-09-15T12:00:00Z");

type Changes = { available: bigint; reserved?: bigint; spent?: bigint };

/** Adds an entry after all others, at a time of the past. */
async function add(
  accountId: string,
  type: string,
  at: string,
  { available, reserved = 0n, spent = 0n }: Changes,
): Promise<void> {
  const changes = [available, reserved, spent, available + reserved + spent].map(String);
  const after = billing.owner`
    (${changes[0] ?? ""}::bigint + coalesce((select available_after from billing.entries
      where account_id = ${accountId} and mode = 'live' order by sequence desc limit 1), 0))`;
  await billing.owner`
    insert into billing.entries (account_id, mode, id, type, available_change, reserved_change, spent_change,
      issued_change, available_after, created_at)
    values (${accountId}, 'live', ${randomId("txn")}, ${type}, ${billing.owner.unsafe(changes.join(", "))}, ${after}, ${at})`;
}

const recharge = (accountId: string, tokens: bigint, at: string) =>
  add(accountId, "recharge", at, { available: tokens });

/** An account with two recharges a month: the n-th month's are of n and 10 n. */
async function oldAccount() {
  const account = await billing.account(0n);
  for (const [index, month] of MONTHS.entries()) {
    const tokens = BigInt(index + 1);
    await recharge(account.accountId, tokens, `${month}-01T00:00:00Z`);
    await recharge(account.accountId, tokens * 10n, `${month}-20T08:00:00Z`);
  }
  return account;
}

const before = (accountId: string, at: string, now = LATER, sql: Db = billing.sql) =>
  heldBefore(sql, { accountId, mode: "live" }, new Date(at), now);

const statement = (account: typeof listed.of, from: string, to: string) => {
  const [begin, end] = [timestampFromDate(new Date(from)), timestampFromDate(new Date(to))];
  return billing.getStatement({ ...account, from: begin, to: end });
};

describe("a statement", () => {
  it("opens with what all earlier entries left, and closes with what the next one opens with", async () => {
    const { of: old } = await oldAccount();
    // Later months first: what is kept for one must not change another.
    for (const [from, opening] of [
      ["2026-04-01", 66n],
      ["2026-02-10", 13n],
      ["2026-03-01", 33n],
      ["2026-01-01", 0n],
    ] as const)
      expect(await statement(old, from, "2026-04-21")).toMatchObject({ opening, closing: 110n });
  });

  it("has the changes of available that transactions have, between what was available", async () => {
    const { accountId, of: own } = await billing.account(0n);
    await recharge(accountId, 100n, "2026-01-05T00:00:00Z");
    // Written by processes whose clocks differ.
    await recharge(accountId, 5n, "2026-02-01T00:00:00.1Z");
    await add(accountId, "reserve", "2026-01-31T23:59:59.9Z", { available: -42n, reserved: 42n });
    await recharge(accountId, 7n, "2026-01-31T23:59:58Z");
    const captured = { available: 2n, reserved: -42n, spent: 40n };
    await add(accountId, "capture", "2026-02-02T00:00:00Z", captured);
    expect(await statement(own, "2026-01-01", "2026-02-01")).toMatchObject({
      openingAvailable: 0n,
      lines: [
        { type: TransactionType.RECHARGE, available: 107n },
        { type: TransactionType.RESERVE, tokens: 0n, available: -42n },
      ],
      closingAvailable: 65n,
    });
    expect(await statement(own, "2026-02-01", "2026-03-01")).toMatchObject({
      openingAvailable: 65n,
      lines: [
        { type: TransactionType.CAPTURE, tokens: -40n, available: 2n },
        { type: TransactionType.RECHARGE, available: 5n },
      ],
      closingAvailable: 72n,
    });
  });

  it("reads earlier months once, then only the entries since the beginning of its month", async () => {
    const { accountId } = await oldAccount();
    const held = (tx: Db) => before(accountId, "2026-04-25", LATER, tx);
    const read = () => rowsRead(billing.owner, "billing.entries", held);
    expect([await read(), await read()]).toEqual([8, 2]);
  });

  it("counts an entry that is written just after the end of the month that it belongs to", async () => {
    const { accountId } = await oldAccount();
    expect(await before(accountId, "2026-05-01", new Date("2026-05-01T23:00:00Z"))).toBe(110n);
    await recharge(accountId, 1_000n, "2026-04-30T23:59:59Z");
    expect(await before(accountId, "2026-05-01", LATER)).toBe(1_110n);
  });
});
