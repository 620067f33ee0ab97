/** Holds, recharges and the ledger, through billing's RPCs. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { billingFixture, refusalOf, type BillingFixture } from "./billing-fixture.ts";
import { forTests } from "../support/for-tests.ts";
import { manualClock } from "../support/manual-clock.ts";

const fixture = forTests(billingFixture);
let billing: BillingFixture["client"];
let sql: Sql;

beforeAll(() => void ({ client: billing, sql } = fixture));

describe("holds", () => {
  it("move Tokens from available to reserved, and from there to spent or back, once however often", async () => {
    const { hold, balance, entries } = await fixture.account(100n);
    const [spent, restored] = [hold(), hold()];
    const thrice = async <T>(call: () => Promise<T>): Promise<T> => {
      for (let i = 0; i < 2; i++) await call();
      return call();
    };
    await thrice(() => billing.reserve({ hold: spent, tokens: 30n }));
    await billing.reserve({ hold: restored, tokens: 20n });
    expect(await balance()).toEqual([50n, 50n]);
    expect(await thrice(() => billing.capture({ hold: spent }))).toMatchObject({ tokens: 30n });
    expect(await thrice(() => billing.release({ hold: restored }))).toMatchObject({ tokens: 20n });
    expect(await balance()).toEqual([70n, 0n]);
    const types = (await entries()).map(({ type }) => type);
    expect(types).toEqual(["recharge", "reserve", "reserve", "capture", "release"]);
  });

  it("charge a part, and restore the rest in the same move, with one entry", async () => {
    const { hold, balance, accountId, of } = await fixture.account(100n);
    const id = randomId("vgen");
    await billing.reserve({ hold: hold(id), tokens: 40n });
    await billing.capture({ hold: hold(id), tokens: 30n });
    expect((await billing.capture({ hold: hold(id), tokens: 30n })).tokens).toBe(30n);
    expect(await balance()).toEqual([70n, 0n]);
    const { transactions } = await billing.listTransactions({ ...of, limit: 10 });
    expect(transactions.map(({ type, tokens }) => [type, tokens])).toEqual([
      [TransactionType.CAPTURE, 10n],
      [TransactionType.RESERVE, -40n],
      [TransactionType.RECHARGE, 100n],
    ]);
    const [{ spent } = { spent: 0n }] = await sql<{ spent: bigint }[]>`
      select spent from billing.balances where account_id = ${accountId}`;
    expect(spent).toBe(30n);
    expect((await billing.auditAccount(of)).differences).toEqual([]);
    await billing.reserve({ hold: hold(id), tokens: 40n });
    expect(await balance()).toEqual([70n, 0n]);
  });

  it("refuse to charge more than is held, or another part than before", async () => {
    const { hold, balance } = await fixture.account(100n);
    const id = randomId("vgen");
    await billing.reserve({ hold: hold(id), tokens: 40n });
    const differs = { reason: ErrorReason.CONTENT_DIFFERS, fault: { field: "tokens" } };
    const capture = (tokens: bigint) => refusalOf(billing.capture({ hold: hold(id), tokens }));
    expect(await capture(41n)).toMatchObject(differs);
    expect(await balance()).toEqual([60n, 40n]);
    await billing.capture({ hold: hold(id), tokens: 10n });
    expect(await capture(20n)).toMatchObject(differs);
    expect(await balance()).toEqual([90n, 0n]);
  });

  it("refuse a repeated reserve of another price, key or end user, whose limits it was not counted in", async () => {
    const { hold } = await fixture.account(100n);
    const call = { hold: hold(), tokens: 40n };
    await billing.reserve(call);
    for (const other of [{ tokens: 41n }, { keyId: randomId("key") }, { endUser: "anna" }]) {
      const { reason, fault } = await refusalOf(billing.reserve({ ...call, ...other }));
      expect([reason, fault?.field]).toEqual([ErrorReason.CONTENT_DIFFERS, "tokens"]);
    }
  });

  it("refuse a reserve that the balance does not cover, and store nothing of it: it succeeds once that does", async () => {
    const { accountId, hold, balance, of } = await fixture.account(10n);
    const refused = { hold: hold(), tokens: 11n };
    const { reason, fault } = await refusalOf(billing.reserve(refused));
    expect(reason).toBe(ErrorReason.INSUFFICIENT_TOKENS);
    expect(fault?.metadata).toEqual({ required: "11", available: "10" });
    expect(await balance()).toEqual([10n, 0n]);
    expect(await billing.release({ hold: refused.hold })).toMatchObject({ tokens: 0n });
    expect(await sql`select from billing.holds where account_id = ${accountId}`).toHaveLength(0);
    await billing.recharge({ ...of, tokens: 10n, note: "invoice 8" });
    await billing.reserve(refused);
    expect(await balance()).toEqual([9n, 11n]);
  });

  it("refuse to reserve a hold again that was released, and reserve its next attempt", async () => {
    const { hold, balance } = await fixture.account(10n);
    const id = randomId("vgen");
    await billing.reserve({ hold: hold(id), tokens: 5n });
    await billing.release({ hold: hold(id) });
    const { reason } = await refusalOf(billing.reserve({ hold: hold(id), tokens: 5n }));
    expect(reason).toBe(ErrorReason.HOLD_RESOLVED);
    expect(await balance()).toEqual([10n, 0n]);
    await billing.reserve({ hold: hold(id, 2), tokens: 5n });
    expect(await balance()).toEqual([5n, 5n]);
  });

  it("say of a repeated reserve when the hold was first made", async () => {
    const clock = manualClock();
    await using later = await billingFixture(clock);
    const { hold } = await later.account(10n);
    const call = { hold: hold(), tokens: 5n };
    const { reservedAt } = await later.client.reserve(call);
    expect(reservedAt).toEqual(timestampFromDate(clock.now()));
    clock.advance(20_000);
    expect((await later.client.reserve(call)).reservedAt).toEqual(reservedAt);
  });
});

describe("a reserve with a limit of open holds", () => {
  it("is refused at the limit, which the error names, and succeeds when a hold was resolved", async () => {
    const { hold } = await fixture.account(100n);
    const [first, second] = [hold(), hold()];
    const reserve = (name = hold()) => billing.reserve({ hold: name, tokens: 1n, maxOpenHolds: 2 });
    await reserve(first);
    await reserve(second);
    const { reason, fault } = await refusalOf(reserve());
    expect(reason).toBe(ErrorReason.TOO_MANY_PENDING);
    expect(fault?.metadata).toEqual({ limit: "2" });
    await billing.capture({ hold: first });
    await reserve();
    expect((await refusalOf(reserve())).reason).toBe(ErrorReason.TOO_MANY_PENDING);
    await billing.release({ hold: second });
    await reserve();
    expect((await refusalOf(reserve())).reason).toBe(ErrorReason.TOO_MANY_PENDING);
  });

  it("is refused for the limit before it is refused for the Tokens, and changes nothing", async () => {
    const { balance, hold } = await fixture.account(10n);
    await billing.reserve({ hold: hold(), tokens: 4n });
    const refused = [hold(), hold()];
    const reserve = (maxOpenHolds: number) =>
      refusalOf(billing.reserve({ hold: refused[maxOpenHolds - 1], tokens: 50n, maxOpenHolds }));
    expect((await reserve(1)).reason).toBe(ErrorReason.TOO_MANY_PENDING);
    expect((await reserve(2)).reason).toBe(ErrorReason.INSUFFICIENT_TOKENS);
    expect(await balance()).toEqual([6n, 4n]);
    for (const one of refused) {
      expect(await billing.release({ hold: one })).toMatchObject({ tokens: 0n });
    }
  });
});

describe("recharges", () => {
  it("count a reference once, and every call without one", async () => {
    const { accountId, balance } = await fixture.account(0n);
    const credit = (reference: string) =>
      billing.recharge({ accountId, mode: Mode.LIVE, tokens: 5n, reference });
    expect((await credit("invoice 1")).repeated).toBe(false);
    expect((await credit("invoice 1")).repeated).toBe(true);
    await credit("");
    await credit("");
    expect(await balance()).toEqual([15n, 0n]);
    const { reason } = await refusalOf(
      billing.recharge({ accountId, mode: Mode.LIVE, tokens: 6n, reference: "invoice 1" }),
    );
    expect(reason).toBe(ErrorReason.CONTENT_DIFFERS);
  });

  it("are refused under a reference of an adjustment, instead of counted as repeated", async () => {
    const { accountId, balance } = await fixture.account(0n);
    const credit = { accountId, mode: Mode.LIVE, tokens: 5n, reference: "ticket 1" };
    await billing.adjust({ ...credit, reason: "goodwill" });
    const { reason, fault } = await refusalOf(billing.recharge(credit));
    expect([reason, fault?.field]).toEqual([ErrorReason.CONTENT_DIFFERS, "reference"]);
    expect(await balance()).toEqual([5n, 0n]);
  });

  it("grant test Tokens once, at the first read or use", async () => {
    const accountId = randomId("acct");
    const read = async () => (await billing.getBalance({ accountId, mode: Mode.TEST })).balance;
    const seen = await Promise.all([read(), read(), read()]);
    expect(seen.map((balance) => balance?.available)).toEqual([1_000_000n, 1_000_000n, 1_000_000n]);
  });
});

describe("the ledger", () => {
  it("cannot be changed by the service's own role", async () => {
    await fixture.account(5n);
    await expect(sql`update billing.entries set note = 'x'`).rejects.toThrow("permission denied");
    await expect(sql`delete from billing.entries`).rejects.toThrow("permission denied");
    await expect(sql`update billing.balances set available = 9`).rejects.toThrow(
      "permission denied",
    );
  });

  it("refuses amounts that are out of range, naming the field", async () => {
    const { hold } = await fixture.account(1n);
    for (const tokens of [-1n, 2n ** 62n]) {
      const call = billing.reserve({ hold: hold(), tokens });
      const { reason, fault } = await refusalOf(call);
      expect(reason).toBe(ErrorReason.INVALID_FIELD);
      expect(fault?.field).toBe("tokens");
    }
  });
});
