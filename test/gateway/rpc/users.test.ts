/** What operators can do for and against users of the dashboard. */
import { beforeEach, describe, expect, it } from "vitest";
import { codeOf, newBrowser, type Browser } from "../dashboard/browser.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

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

describe("an operator", () => {
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
    const request = { email, removeSecondFactor: true };
    const { url } = await harness.accounts.resetUserPassword(request);
    expect(new URL(url).pathname).toBe("/dashboard/reset-password");
    const token = new URLSearchParams(new URL(url).hash.slice(1)).get("token");
    const body = { token, new_password: "a new password" };
    const reset = () => newBrowser(harness).send("POST", "/auth/password/reset", body);
    expect((await reset()).status).toBe(204);
    await expectEnded("password_changed");
    expect((await signIn("a new password")).body.user).toMatchObject({ email });
    expect((await reset()).status).toBe(404);
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
