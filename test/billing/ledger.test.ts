/** Holds, recharges and the ledger, through billing's RPCs. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { billingFixture, refusalOf } from "./billing-fixture.ts";
import { forTests } from "../support/for-tests.ts";

const billing = forTests(() => billingFixture());

describe("holds", () => {
  it("move Tokens from available to reserved, and from there to spent or back, once however often", async () => {
    const { hold, balance, entries } = await billing.account(100n);
    const [spent, restored] = [hold(), hold()];
    const thrice = async <T>(call: () => Promise<T>): Promise<T> => {
      for (let i = 0; i < 2; i++) await call();
      return call();
    };
    await thrice(() => billing.reserve({ hold: spent, tokens: 30n }));
    await billing.reserve({ hold: restored, tokens: 20n });
    expect(await balance()).toEqual([50n, 50n]);
    const captured = await thrice(() => billing.capture({ hold: spent, tokens: 28n }));
    expect(captured).toMatchObject({ tokens: 28n });
    const differs = { reason: ErrorReason.CONTENT_DIFFERS, fault: { field: "tokens" } };
    expect(await refusalOf(billing.capture({ hold: spent, tokens: 27n }))).toMatchObject(differs);
    expect(await thrice(() => billing.release({ hold: restored }))).toMatchObject({
      tokens: 20n,
    });
    expect(await billing.release({ hold: hold() })).toMatchObject({ tokens: 0n });
    expect(await balance()).toEqual([72n, 0n]);
    const types = (await entries()).map(({ type }) => type);
    expect(types).toEqual(["recharge", "reserve", "reserve", "capture", "release"]);
  });

  it("refuse a repeated reserve of another price, key or end user, whose limits it was not counted in", async () => {
    const { hold } = await billing.account(100n);
    const call = { hold: hold(), tokens: 40n };
    await billing.reserve(call);
    for (const other of [{ tokens: 41n }, { keyId: randomId("key") }, { endUser: "anna" }]) {
      const { reason, fault } = await refusalOf(billing.reserve({ ...call, ...other }));
      expect([reason, fault?.field]).toEqual([ErrorReason.CONTENT_DIFFERS, "tokens"]);
    }
  });
});

it("a reserve at the limit of open holds is refused, and the error names the limit", async () => {
  const { hold } = await billing.account(100n);
  const reserve = () => billing.reserve({ hold: hold(), tokens: 1n, maxOpenHolds: 2 });
  for (let i = 0; i < 2; i++) await reserve();
  const { reason, fault } = await refusalOf(reserve());
  expect([reason, fault?.metadata]).toEqual([ErrorReason.TOO_MANY_PENDING, { limit: "2" }]);
});

describe("recharges and adjustments", () => {
  it("count a reference once, and every call without one", async () => {
    const { balance, of } = await billing.account(0n);
    const recharge = (reference: string, tokens = 5n) =>
      billing.recharge({ ...of, tokens, reference });
    const adjust = (reference: string, tokens: bigint) =>
      billing.adjust({ ...of, tokens, reference, reason: "goodwill" });
    for (const repeated of [false, true]) {
      expect((await recharge("invoice 1")).repeated).toBe(repeated);
      expect((await adjust("ticket 1", -2n)).repeated).toBe(repeated);
    }
    await recharge("");
    await recharge("");
    await adjust("", -1n);
    await adjust("", -1n);
    expect(await balance()).toEqual([11n, 0n]);
    for (const [call, expected] of [
      [() => recharge("invoice 1", 6n), [ErrorReason.CONTENT_DIFFERS, "tokens"]],
      [() => adjust("ticket 1", 6n), [ErrorReason.CONTENT_DIFFERS, "tokens"]],
      [() => recharge("ticket 1"), [ErrorReason.CONTENT_DIFFERS, "reference"]],
      [() => adjust("", -12n), [ErrorReason.INSUFFICIENT_TOKENS, "tokens"]],
    ] as const) {
      const { reason, fault } = await refusalOf(call());
      expect([reason, fault?.field]).toEqual(expected);
    }
    expect(await balance()).toEqual([11n, 0n]);
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
    const { sql } = billing;
    await billing.account(5n);
    await expect(sql`update billing.entries set note = 'x'`).rejects.toThrow("permission denied");
    await expect(sql`delete from billing.entries`).rejects.toThrow("permission denied");
    await expect(sql`update billing.balances set available = 9`).rejects.toThrow(
      "permission denied",
    );
  });

  it("refuses amounts that are out of range, naming the field", async () => {
    const { hold } = await billing.account(1n);
    for (const tokens of [-1n, 2n ** 62n]) {
      const call = billing.reserve({ hold: hold(), tokens });
      const { reason, fault } = await refusalOf(call);
      expect(reason).toBe(ErrorReason.INVALID_FIELD);
      expect(fault?.field).toBe("tokens");
    }
  });
});
