/** Holds, recharges, discounts, the ledger with its constraints and audit, and several processes on one balance. */
import {
  MethodOptions_IdempotencyLevel,
  timestampFromMs,
  type Timestamp,
} from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { moveTokens, type Move } from "../../services/billing/store/moves.ts";
import { rowServer } from "../../services/generation/store/row-server.ts";
import { billingFixture, refusalOf } from "./billing-fixture.ts";
import { newMove } from "../support/billing-deps.ts";
import { racing } from "../support/waiting-sessions.ts";
import { forTests } from "../support/for-tests.ts";

const billing = forTests(() => billingFixture());

const now = () => systemClock.now();

describe("holds", () => {
  it("move Tokens from available to reserved, and from there to spent or back, once however often", async () => {
    const { hold, reserve, balance, entries } = await billing.account(100n);
    const spent = hold();
    const thrice = async <T>(call: () => Promise<T>): Promise<T> => {
      for (let i = 0; i < 2; i++) await call();
      return call();
    };
    await thrice(() => billing.reserve({ hold: spent, tokens: 30n }));
    const restored = await reserve(20n);
    expect(await balance()).toEqual([50n, 50n]);
    const captured = await thrice(() => billing.capture({ hold: spent, tokens: 28n }));
    expect(captured).toMatchObject({ tokens: 28n });
    const differs = { reason: ErrorReason.CONTENT_DIFFERS, field: "tokens" };
    expect(await refusalOf(billing.capture({ hold: spent, tokens: 27n }))).toMatchObject(differs);
    const released = await thrice(() => billing.release({ hold: restored }));
    expect(released).toMatchObject({ tokens: 20n });
    expect(await billing.release({ hold: hold() })).toMatchObject({ tokens: 0n });
    expect(await balance()).toEqual([72n, 0n]);
    const types = (await entries()).map(({ type }) => type);
    expect(types).toEqual(["recharge", "reserve", "reserve", "capture", "release"]);
  });

  it("refuse a repeated reserve of another price, key or end user, whose limits it was not counted in", async () => {
    const { hold } = await billing.account(100n);
    const call = { hold: hold(), tokens: 40n };
    await billing.reserve(call);
    const differs = { reason: ErrorReason.CONTENT_DIFFERS, field: "tokens" };
    for (const other of [{ tokens: 41n }, { keyId: randomId("key") }, { endUser: "anna" }])
      expect(await refusalOf(billing.reserve({ ...call, ...other }))).toMatchObject(differs);
  });
});

it("a reserve at the limit of open holds is refused, and the error names the limit", async () => {
  const { hold } = await billing.account(100n);
  const reserve = () => billing.reserve({ hold: hold(), tokens: 1n, maxOpenHolds: 2 });
  for (let i = 0; i < 2; i++) await reserve();
  const refused = { reason: ErrorReason.TOO_MANY_PENDING, metadata: { limit: "2" } };
  expect(await refusalOf(reserve())).toMatchObject(refused);
});

describe("recharges and adjustments", () => {
  it("that count each time are never repeated by a client that has lost the answer", () => {
    const { recharge, adjust } = BillingService.method;
    const { IDEMPOTENCY_UNKNOWN: unknown } = MethodOptions_IdempotencyLevel;
    expect([recharge.idempotency, adjust.idempotency]).toEqual([unknown, unknown]);
  });

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
    for (const [call, reason, field] of [
      [() => recharge("invoice 1", 6n), ErrorReason.CONTENT_DIFFERS, "tokens"],
      [() => adjust("ticket 1", 6n), ErrorReason.CONTENT_DIFFERS, "tokens"],
      [() => recharge("ticket 1"), ErrorReason.CONTENT_DIFFERS, "reference"],
      [() => adjust("", -12n), ErrorReason.INSUFFICIENT_TOKENS, "tokens"],
    ] as const)
      expect(await refusalOf(call())).toMatchObject({ reason, field });
    expect(await balance()).toEqual([11n, 0n]);
    const inTest = { ...of, mode: Mode.TEST, tokens: 6n, reference: "invoice 1" };
    expect((await billing.recharge(inTest)).repeated).toBe(false);
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
    for (const change of [
      "update billing.entries set note = 'x'",
      "delete from billing.entries",
      "update billing.balances set available = 9",
    ])
      await expect(billing.sql.unsafe(change)).rejects.toThrow("permission denied");
  });

  it("refuses amounts that are out of range, naming the field", async () => {
    const { reserve } = await billing.account(1n);
    const refused = { reason: ErrorReason.INVALID_FIELD, field: "tokens" };
    for (const tokens of [-1n, 2n ** 62n])
      expect(await refusalOf(reserve(tokens))).toMatchObject(refused);
  });
});

describe("the database", () => {
  it("refuses a second entry of the same kind for a hold, even to the owner", async () => {
    const { reserve } = await billing.account(10n);
    const { generationId } = await reserve(5n);
    const again = billing.owner`
      insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
        reserved_change, spent_change, issued_change, available_after, created_at)
      select account_id, mode, 'txn_again', type, generation_id, attempt, available_change, reserved_change,
        spent_change, issued_change, available_after, created_at
      from billing.entries where generation_id = ${generationId}`;
    await expect(again).rejects.toThrow("duplicate key");
  });

  it.each([
    ["available", "spent"],
    ["reserved", "available"],
    ["spent", "available"],
  ])("refuses a negative %s", async (bucket, other) => {
    const { accountId } = await billing.account(10n);
    const { owner } = billing;
    const update = owner`
      update billing.balances
      set ${owner(bucket)} = -1, ${owner(other)} = ${owner(other)} + ${owner(bucket)} + 1
      where account_id = ${accountId}`;
    await expect(update).rejects.toThrow("violates check constraint");
  });

  it("refuses a balance whose buckets do not add up, and an entry whose changes do not add up", async () => {
    const { accountId } = await billing.account(10n);
    const invent = billing.owner`
      update billing.balances set available = available + 1 where account_id = ${accountId}`;
    await expect(invent).rejects.toThrow("violates check constraint");
    const entry = billing.owner`
      insert into billing.entries (account_id, mode, id, type, available_change, reserved_change, spent_change,
        issued_change, available_after, created_at)
      values (${accountId}, 'live', 'txn_nothing', 'adjustment', 1, 0, 0, 0, 11, now())`;
    await expect(entry).rejects.toThrow("violates check constraint");
  });
});

describe("an audit", () => {
  it("finds no difference in an intact ledger, and names each value that was changed", async () => {
    const { accountId, of, reserve } = await billing.account(10n);
    await reserve(4n);
    const audit = async () => (await billing.auditAccount(of)).differences;
    expect(await audit()).toEqual([]);
    await billing.owner`
      update billing.balances set available = available + 1, issued = issued + 1 where account_id = ${accountId}`;
    expect((await audit()).map(({ what, expected, found }) => [what, expected, found])).toEqual([
      ["available of the balance", "6", "7"],
      ["issued of the balance", "10", "11"],
    ]);
  });

  it("names holds that differ from their entries, and entries whose hold is missing", async () => {
    const { of, reserve } = await billing.account(10n);
    const [differing, missing, less] = [await reserve(1n), await reserve(1n), await reserve(1n)];
    for (const hold of [differing, missing, less]) await billing.capture({ hold });
    await billing.owner`
      update billing.holds set state = 'released', tokens = 0, captured = null
      where generation_id = ${differing.generationId}`;
    await billing.owner`delete from billing.holds where generation_id = ${missing.generationId}`;
    await billing.owner`
      update billing.holds set captured = 0 where generation_id = ${less.generationId}`;
    const { differences } = await billing.auditAccount(of);
    expect(differences).toMatchObject([{ what: "holds whose entries do not fit their state" }]);
    const names = [differing, missing, less].map(({ generationId }) => `${generationId}/1`);
    expect(differences[0]?.found.split(" ").toSorted()).toEqual(names.toSorted());
  });
});

describe("discounts", () => {
  it("are in force from their time on, one for a model beside the one for all", async () => {
    const { accountId } = await billing.account(0n);
    await billing.setDiscount({ accountId, discount: { basisPoints: 1_000 } });
    await billing.setDiscount({ accountId, discount: { model: "m", basisPoints: 2_500 } });
    const { discounts } = await billing.getDiscounts({ accountId });
    expect(discounts.map(({ model, basisPoints }) => [model, basisPoints])).toEqual([
      ["", 1_000],
      ["m", 2_500],
    ]);
  });

  it("to come are listed only when asked for, and are replaced until their time has come", async () => {
    const { accountId } = await billing.account(0n);
    const from = timestampFromMs(now().getTime() + 3_600_000);
    const set = (basisPoints: number) =>
      billing.setDiscount({ accountId, discount: { basisPoints, from } });
    const listed = async (withComing: boolean) =>
      (await billing.getDiscounts({ accountId, withComing })).discounts.map((it) => it.basisPoints);
    await billing.setDiscount({ accountId, discount: { basisPoints: 100 } });
    for (const basisPoints of [2_000, 0]) {
      await set(basisPoints);
      expect(await listed(true)).toEqual([100, basisPoints]);
      expect(await listed(false)).toEqual([100]);
    }
    await billing.owner`
      update billing.discounts set starts_at = ${now()} where account_id = ${accountId} and basis_points = 0`;
    expect(await listed(true)).toEqual([0]);
  });

  it("cannot begin before now, and one in force is not changed; the same one may be set again", async () => {
    const { accountId } = await billing.account(0n);
    const set = (basisPoints: number, from?: Timestamp) =>
      billing.setDiscount({ accountId, discount: { basisPoints, ...(from && { from }) } });
    const past = timestampFromMs(now().getTime() - 1_000);
    const tooEarly = { reason: ErrorReason.INVALID_FIELD, field: "discount.from" };
    expect(await refusalOf(set(100, past))).toMatchObject(tooEarly);
    const { discount } = await set(100);
    await set(100, discount?.from);
    const differs = { reason: ErrorReason.CONTENT_DIFFERS, field: "discount.basis_points" };
    expect(await refusalOf(set(200, discount?.from))).toMatchObject(differs);
    const { discounts } = await billing.getDiscounts({ accountId });
    expect(discounts.map(({ basisPoints }) => basisPoints)).toEqual([100]);
  });
});

describe("the commit of a batch", () => {
  /** Whether the commit of these moves would wait for the disk, where the setting of the server says so. */
  const waits = (moves: readonly Move[]) =>
    billing.sql.begin(async (tx) => {
      await tx`set local synchronous_commit = on`;
      await moveTokens(tx, moves, now());
      const [row] = await tx<{ on: boolean }[]>`
        select current_setting('synchronous_commit') = 'on' as on`;
      return row?.on;
    });

  it("waits for the disk, but for reserves whose callers write to the same server next", async () => {
    const { accountId } = await billing.account(100n);
    const reserve = (rowServer: bigint) => ({ ...newMove(accountId, "reserve", 1n), rowServer });
    const here = await rowServer(billing.sql).started();
    expect(await waits([reserve(here), reserve(here)])).toBe(false);
    for (const other of [0n, here + 1n]) {
      expect(await waits([reserve(other)])).toBe(true);
      expect(await waits([reserve(here), reserve(other)])).toBe(true);
    }
    expect(await waits([reserve(here), newMove(accountId, "capture", 1n)])).toBe(true);
  });
});

it("several processes on one balance wait for each other before they decide", async () => {
  const { accountId } = await billing.account(10n);
  const reserve = (db: Db) => moveTokens(db, [newMove(accountId, "reserve", 10n)], now());
  const second = await racing(billing.sql, reserve, () => reserve(billing.sql));
  expect(second.map(({ outcome }) => outcome)).toEqual(["insufficient"]);
});

describe("a batch over several balances", () => {
  it("tells of a low balance behind one that does not move", async () => {
    const made = [await billing.account(9n), await billing.account(9n)].map(({ of }) => of);
    const [still, low] = made.map(({ accountId }) => accountId).toSorted() as [string, string];
    await billing.setAlerts({ accountId: low, alerts: { lowBalance: 5n, mail: true } });
    const moves = [newMove(still, "reserve", 10n), newMove(low, "reserve", 9n)];
    await moveTokens(billing.sql, moves, now());
    const { alerts } = await billing.claimAlerts({ limit: 100 });
    expect(alerts.map(({ alert }) => alert?.accountId)).toEqual([low]);
  });

  it("decides each balance for itself, and answers in the order of its moves", async () => {
    const [rich, poor] = [await billing.account(100n), await billing.account(10n)];
    const other = await billing.account(7n);
    const alerts = { lowBalance: 7n, mail: true };
    for (const { accountId } of [rich, poor, other]) await billing.setAlerts({ accountId, alerts });
    const moves = [
      newMove(rich.accountId, "reserve", 60n),
      newMove(poor.accountId, "reserve", 11n),
      newMove(other.accountId, "capture"),
      newMove(rich.accountId, "reserve", 40n),
      newMove(poor.accountId, "reserve", 4n),
      newMove(other.accountId, "reserve", 7n),
    ];
    const outcomes = await moveTokens(billing.sql, moves, now());
    const shown = outcomes.map(({ outcome, available, reserved }) => [
      outcome,
      available,
      reserved,
    ]);
    expect(shown).toEqual([
      ["ok", 40n, 60n],
      ["insufficient", 10n, 0n],
      ["missing", 7n, 0n],
      ["ok", 0n, 100n],
      ["ok", 6n, 4n],
      ["ok", 0n, 7n],
    ]);
    const again = await moveTokens(billing.sql, moves, now());
    expect(again.map(({ outcome }) => outcome)).toEqual(outcomes.map(({ outcome }) => outcome));
    const balances = await Promise.all([rich, poor, other].map(({ balance }) => balance()));
    expect(balances.flat()).toEqual([0n, 100n, 6n, 4n, 0n, 7n]);
    expect((await billing.claimAlerts({ limit: 100 })).alerts).toHaveLength(3);
    for (const { of } of [rich, poor, other])
      expect((await billing.auditAccount(of)).differences).toEqual([]);
  });

  it("never waits in a circle with another, whatever the order of their moves", async () => {
    const accounts = Array.from({ length: 20 }, () => randomId("acct"));
    const batches = Array.from({ length: 24 }, (_, index) => {
      const moves = accounts.map((accountId) => newMove(accountId, "release"));
      return index % 2 === 0 ? moves : moves.reverse();
    });
    const outcomes = await Promise.all(batches.map((one) => moveTokens(billing.sql, one, now())));
    expect(new Set(outcomes.flat().map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
  });
});
