/** AccountService. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { LimitPeriod } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

const newAccount = async () => (await harness.accounts.createAccount({ name: "Example" })).account;
const newAccountId = async () => (await newAccount())?.id ?? "";

const reason = async (call: Promise<unknown>) => reasonOf(await call.catch((error) => error));

describe("AccountService", () => {
  it("creates an account with test access and the default limits", async () => {
    expect(await newAccount()).toMatchObject({
      id: expect.stringMatching(/^acct_[0-9a-hjkmnp-tv-z]{26}$/),
      name: "Example",
      productionGranted: false,
      createsPerMinute: 600,
      readsPerMinute: 6_000,
      maxUnfinished: 10_000,
    });
  });

  it("creates test keys at once, and live keys once production is granted", async () => {
    const accountId = await newAccountId();
    const live = { accountId, mode: Mode.LIVE, name: "server" };
    await harness.accounts.createKey({ ...live, mode: Mode.TEST });
    expect(await reason(harness.accounts.createKey(live))).toBe(ErrorReason.PRODUCTION_REQUIRED);
    for (let time = 0; time < 2; time++) {
      const granted = await harness.accounts.grantProduction({ accountId });
      expect(granted.account?.productionGranted).toBe(true);
    }
    const { key, secret } = await harness.accounts.createKey(live);
    expect(secret).toMatch(/^mgs_live_/);
    expect(key).toMatchObject({
      id: expect.stringMatching(/^key_/),
      accountId,
      mode: Mode.LIVE,
      name: "server",
      prefix: "mgs_live_",
      lastFour: secret.slice(-4),
    });
  });

  it("creates restricted keys, and live ones with limits of Tokens", async () => {
    const { accountId } = await harness.newKey("live");
    const permissions = { access: "full", kinds: ["video"], models: ["alpha-2.0"] };
    const request = { accountId, mode: Mode.LIVE, permissions };
    const { key } = await harness.accounts.createKey({ ...request, dayTokens: 7n });
    expect(key?.permissions).toMatchObject(permissions);
    expect(harness.calls.at(-1)).toMatchObject({
      method: "setTokenLimits",
      request: { accountId, keyId: key?.id, dayTokens: 7n },
    });
    const keyId = key?.id ?? "";
    harness.backends.getTokenLimits = () => ({
      limits: [{ keyId, period: LimitPeriod.DAY, tokens: 7n }],
    });
    const { keys } = await harness.accounts.listKeys({ accountId });
    expect(keys).toContainEqual({ ...key, dayTokens: 7n });
    for (const wrong of [
      { ...request, permissions: { access: "read", kinds: ["video"] } },
      { ...request, mode: Mode.TEST, monthTokens: 7n },
    ]) {
      const refused = harness.accounts.createKey(wrong);
      expect(await reason(refused)).toBe(ErrorReason.INVALID_FIELD);
    }
  });

  it("sets the given limits, where 0 means no limit, and keeps the others", async () => {
    const accountId = await newAccountId();
    let expected = {};
    for (const limit of [{ createsPerMinute: 0 }, { readsPerMinute: 7 }, { maxUnfinished: 0 }]) {
      const { account } = await harness.accounts.setLimits({ accountId, ...limit });
      expected = { ...expected, ...limit };
      expect(account).toMatchObject({ readsPerMinute: 6_000, ...expected });
    }
  });

  it("refuses an account, a key or a user that does not exist with NOT_FOUND", async () => {
    const accountId = randomId("acct");
    const unknown = { email: "nobody@example.com" };
    const { accounts, key } = harness;
    for (const call of [
      () => accounts.getAccount({ accountId }),
      () => accounts.grantProduction({ accountId }),
      () => accounts.unsuspendAccount({ accountId }),
      () => accounts.listActions({ accountId, limit: 1 }),
      () => accounts.listUsers({ accountId, limit: 1 }),
      () => accounts.setLimits({ accountId, readsPerMinute: 1 }),
      () => accounts.createKey({ accountId, mode: Mode.TEST }),
      () => accounts.createKey({ accountId, mode: Mode.LIVE }),
      () => accounts.revokeKey({ accountId: key.accountId, keyId: randomId("key") }),
      () => accounts.resetUserPassword(unknown),
      () => accounts.disableUser(unknown),
      () => accounts.enableUser(unknown),
      () => accounts.listUserSessions(unknown),
    ]) {
      expect(await reason(call())).toBe(ErrorReason.NOT_FOUND);
    }
  });

  it("suspends an account and ends that idempotently, which undoing a deletion does not", async () => {
    const account = await newAccount();
    const accountId = account?.id ?? "";
    const first = await harness.accounts.suspendAccount({ accountId });
    const second = await harness.accounts.suspendAccount({ accountId });
    expect(first.account?.suspendedAt).toBeDefined();
    expect(second.account).toEqual(first.account);
    expect((await harness.accounts.getAccount({ accountId })).account).toEqual(first.account);
    expect((await harness.accounts.restoreAccount({ accountId })).account).toEqual(first.account);
    for (let time = 0; time < 2; time++) {
      const ended = await harness.accounts.unsuspendAccount({ accountId });
      expect(ended.account).toEqual(account);
    }
  });

  it("lists an account's audit log by pages, newest first", async () => {
    const accountId = await newAccountId();
    const target = randomId("key");
    const done = { accountId, action: "limits.set", target, mode: Mode.LIVE, details: { a: "0" } };
    await harness.accounts.recordAction(done);
    const { actions, hasMore } = await harness.accounts.listActions({ accountId, limit: 1 });
    const by = { actor: "operator", action: "limits.set", target, mode: "live" };
    expect([actions, hasMore]).toMatchObject([[{ ...by, details: { a: "0" } }], true]);
    const after = actions[0]?.id ?? "";
    const rest = await harness.accounts.listActions({ accountId, limit: 1, after });
    expect(rest).toMatchObject({ actions: [{ action: "account.create" }], hasMore: false });
  });

  it("lists accounts by page and an account's keys without their secrets, and revokes keys", async () => {
    const accountId = await newAccountId();
    const found: string[] = [];
    let hasMore = true;
    while (hasMore) {
      const after = found.at(-1);
      const request = { limit: 2, ...(after === undefined ? {} : { after }) };
      const page = await harness.accounts.listAccounts(request);
      found.push(...page.accounts.map(({ id }) => id));
      hasMore = page.hasMore;
    }
    expect(found).toContain(accountId);
    expect(new Set(found).size).toBe(found.length);
    const made = await harness.accounts.createKey({ accountId, mode: Mode.TEST, name: "one" });
    const keyId = made.key?.id ?? "";
    const { keys } = await harness.accounts.listKeys({ accountId });
    expect(keys).toEqual([made.key]);
    const { key } = await harness.accounts.revokeKey({ accountId, keyId });
    expect(key?.revokedAt).toBeDefined();
    expect((await harness.accounts.revokeKey({ accountId, keyId })).key).toEqual(key);
  });
});
