/** AccountService: accounts and keys, and what operators can do for and against users of the dashboard. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { LimitPeriod } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { codeOf, newBrowser, type Browser } from "../dashboard/browser.ts";
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
    const limits = [{ keyId, period: LimitPeriod.DAY, tokens: 7n }];
    harness.backends.getTokenLimits = () => ({ limits });
    const { keys } = await harness.accounts.listKeys({ accountId });
    expect(keys).toContainEqual({ ...key, dayTokens: 7n });
    for (const wrong of [
      { ...request, permissions: { access: "read", kinds: ["video"] } },
      { ...request, mode: Mode.TEST, monthTokens: 7n },
    ])
      expect(await reason(harness.accounts.createKey(wrong))).toBe(ErrorReason.INVALID_FIELD);
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
    ])
      expect(await reason(call())).toBe(ErrorReason.NOT_FOUND);
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
    for (let time = 0; time < 2; time++)
      expect((await harness.accounts.unsuspendAccount({ accountId })).account).toEqual(account);
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
    for (let hasMore = true; hasMore;) {
      const page = await harness.accounts.listAccounts({ limit: 2, after: found.at(-1) });
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

describe("an operator, of a user", () => {
  let email: string;
  let user: Browser;
  let users = 0;

  beforeEach(async () => {
    email = `user-${++users}@example.com`;
    user = newBrowser(harness);
    await user.signUp(email.toUpperCase());
  });

  /** Nobody is signed in any more, and the page says why. */
  const expectEnded = async (ended_because: string) => {
    expect(await user.session()).toMatchObject({ ended_because });
    expect(await user.user()).toBeUndefined();
  };

  const signIn = (password?: string) => newBrowser(harness).signIn(email, password);

  it("lists users with their accounts in pages, all or those of an account", async () => {
    const [account] = (await user.session()).accounts;
    await harness.accounts.disableUser({ email });
    const accountId = account?.id ?? "";
    const { users: members } = await harness.accounts.listUsers({ limit: 9, accountId });
    expect(members).toMatchObject([{ email, accountIds: [accountId], secondFactor: false }]);
    expect(members[0]?.disabledAt).toBeDefined();
    await newBrowser(harness).signUp(`second-${email}`);
    const first = await harness.accounts.listUsers({ limit: 1 });
    expect(first).toMatchObject({ users: { length: 1 }, hasMore: true });
    const after = first.users[0]?.id ?? "";
    const rest = await harness.accounts.listUsers({ limit: 1_000, after });
    expect(rest.hasMore).toBe(false);
    const ids = [after, ...rest.users.map(({ id }) => id)];
    expect(ids).toEqual([...new Set(ids)]);
    const all = await harness.accounts.listUsers({ limit: 1_000 });
    expect(ids).toEqual(all.users.map(({ id }) => id));
  });

  it("gives a user a link that sets a new password, once, and ends the sessions", async () => {
    await harness.owner`
      update gateway.users set two_factor_enabled = true where email = ${email}`;
    const { url } = await harness.accounts.resetUserPassword({ email, removeSecondFactor: true });
    expect(new URL(url).pathname).toBe("/dashboard/reset-password");
    const token = new URLSearchParams(new URL(url).hash.slice(1)).get("token");
    const body = { token, new_password: "a new password" };
    const reset = () => newBrowser(harness).send("POST", "/auth/password/reset", body);
    expect((await reset()).status).toBe(204);
    await expectEnded("password_changed");
    expect((await signIn("a new password")).body.user).toMatchObject({ email });
    expect((await reset()).status).toBe(404);
  });

  it("ends a session whose end was recorded by a change of the password that was cut off", async () => {
    await harness.owner`
      insert into gateway.ended_sessions (token_sha256, cause, expires_at)
      select sha256(convert_to(s.token, 'UTF8')), 'password_changed', s.expires_at
      from gateway.sessions s join gateway.users u on u.id = s.user_id where u.email = ${email}`;
    await harness.accounts.listUserSessions({ email, end: true });
    expect((await harness.accounts.listUserSessions({ email })).sessions).toEqual([]);
  });

  it("disables a user at once and for later sign-ins, until the user is enabled", async () => {
    const stale = new Map(user.cookies);
    expect((await harness.accounts.disableUser({ email })).sessions).toBe(1);
    await expectEnded("user_disabled");
    expect(codeOf(await signIn())).toEqual([403, "user_disabled"]);
    expect((await harness.accounts.listUserSessions({ email })).sessions).toEqual([]);
    await harness.owner`
      insert into gateway.sessions (id, user_id, token, expires_at, created_at, updated_at)
      select 'late', id, ${String([...stale.values()][0]).split(".")[0] ?? ""},
        now() + interval '1 day', now(), now()
      from gateway.users where email = ${email}`;
    for (const [name, value] of stale) user.cookies.set(name, value);
    expect(await user.user()).toBeUndefined();
    await harness.accounts.enableUser({ email });
    expect((await signIn()).status).toBe(200);
  });

  it("lists a user's sessions and ends them", async () => {
    const list = async (end: boolean) =>
      (await harness.accounts.listUserSessions({ email, end })).sessions;
    expect(await list(false)).toHaveLength(1);
    expect(await user.user()).toBeDefined();
    expect(await list(true)).toHaveLength(1);
    await expectEnded("ended_by_operator");
  });

  it("leaves an entry of each change in the audit log of every account of the user", async () => {
    const { accounts } = harness;
    const second = await user.send("POST", "/accounts", { name: "Second" });
    expect(second.status).toBe(201);
    await accounts.listUserSessions({ email });
    await accounts.listUserSessions({ email, end: true });
    await accounts.disableUser({ email });
    await accounts.enableUser({ email });
    await accounts.resetUserPassword({ email: email.toUpperCase(), removeSecondFactor: true });
    const rows = await harness.owner<{ accountId: string; entry: string }[]>`
      select account_id as "accountId", action || ' ' || details::text as entry
      from gateway.audit_log
      where actor = 'operator' and target = (select id from gateway.users where email = ${email})`;
    const logs = Map.groupBy(rows, ({ accountId }) => accountId);
    expect(logs.size).toBe(2);
    for (const log of logs.values()) {
      // Those of one millisecond have no order.
      expect(log.map(({ entry }) => entry).toSorted()).toEqual([
        `member.disable {"email": "${email}"}`,
        `member.enable {"email": "${email}"}`,
        `member.end_sessions {"email": "${email}"}`,
        `member.reset_password {"email": "${email}", "second_factor": "removed"}`,
      ]);
    }
  });
});
