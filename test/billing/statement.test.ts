/** GetStatement: what it opens and closes with, and how much of an old account it reads. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { randomId } from "#runtime/id.ts";
import { heldBefore } from "../../services/billing/store/entries.ts";
import { rowsRead } from "../support/rows-read.ts";
import { billingFixture } from "./billing-fixture.ts";
import { forTests } from "../support/for-tests.ts";

const billing = forTests(() => billingFixture());

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

const before = (
  accountId: string,
  at: string,
  now = LATER,
  sql: Parameters<typeof heldBefore>[0] = billing.sql,
) => heldBefore(sql, accountId, "live", { at: new Date(at), now });

describe("a statement", () => {
  it("opens with what all earlier entries left, and closes with what the next one opens with", async () => {
    const { of } = await oldAccount();
    const found: (bigint | undefined)[][] = [];
    // Later months first: what is kept for one must not change another.
    for (const from of ["2026-04-01", "2026-02-10", "2026-03-01", "2026-01-01"]) {
      const to = timestampFromDate(new Date("2026-04-21T00:00:00Z"));
      const begin = timestampFromDate(new Date(`${from}T00:00:00Z`));
      const { opening, closing } = await billing.getStatement({ ...of, from: begin, to });
      found.push([opening, closing]);
    }
    expect(found).toEqual([
      [66n, 110n],
      [13n, 110n],
      [33n, 110n],
      [0n, 110n],
    ]);
  });

  it("has the changes of available that transactions have, between what was available", async () => {
    const { accountId, of } = await billing.account(0n);
    await recharge(accountId, 100n, "2026-01-05T00:00:00Z");
    // Written by processes whose clocks differ.
    await recharge(accountId, 5n, "2026-02-01T00:00:00.1Z");
    await add(accountId, "reserve", "2026-01-31T23:59:59.9Z", { available: -42n, reserved: 42n });
    await recharge(accountId, 7n, "2026-01-31T23:59:58Z");
    const captured = { available: 2n, reserved: -42n, spent: 40n };
    await add(accountId, "capture", "2026-02-02T00:00:00Z", captured);
    const month = (from: string, to: string) =>
      billing.getStatement({
        ...of,
        from: timestampFromDate(new Date(from)),
        to: timestampFromDate(new Date(to)),
      });
    expect(await month("2026-01-01", "2026-02-01")).toMatchObject({
      openingAvailable: 0n,
      lines: [
        { type: TransactionType.RECHARGE, available: 107n },
        { type: TransactionType.RESERVE, tokens: 0n, available: -42n },
      ],
      closingAvailable: 65n,
    });
    expect(await month("2026-02-01", "2026-03-01")).toMatchObject({
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
    const read = () =>
      rowsRead(billing.owner, "billing.entries", (tx) =>
        before(accountId, "2026-04-25", LATER, tx),
      );
    expect([await read(), await read()]).toEqual([8, 2]);
  });

  it("counts an entry that is written just after the end of the month that it belongs to", async () => {
    const { accountId } = await oldAccount();
    const soon = new Date("2026-05-01T23:00:00Z");
    expect(await before(accountId, "2026-05-01", soon)).toBe(110n);
    await recharge(accountId, 1_000n, "2026-04-30T23:59:59Z");
    expect(await before(accountId, "2026-05-01", LATER)).toBe(1_110n);
  });
});
