/** The dashboard's members and invitations. */
import { randomId } from "#runtime/id.ts";
import { joinAccount } from "../../../services/gateway/dashboard/members/members.ts";
import type { InvitationRow } from "../../../services/gateway/store/invitations.ts";
import { openPool } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { codeOf, PASSWORD, useDashboard } from "./browser.ts";

const clock = manualClock("2026-11-21T12:00:00.000Z");
const DAY_MS = 24 * 60 * 60_000;

const { harness, joined, newBrowser, newOwner } = useDashboard({
  clock,
  config: { signUp: "invitation" },
});

const owner = forTests(() => newOwner("owner@example.com"));
const member = forTests(() => join("member@example.com"));

const join = (email: string, role?: string) => joined(owner, email, role);

const preview = (token: string, browser = newBrowser()) =>
  browser.send("POST", "/invitations/retrieve", { token });

describe("an account", () => {
  it("cannot be joined or created without an invitation when sign-up is by invitation", async () => {
    const wanted = { name: "Uninvited", email: "uninvited@example.com", password: PASSWORD };
    const signUp = async (invitation?: string) =>
      codeOf(await newBrowser().send("POST", "/auth/sign-up", { ...wanted, invitation }));
    expect(await signUp()).toEqual([403, "sign_up_closed"]);
    const { token } = await owner.invite("someone@example.com");
    expect(await signUp(token)).toEqual([403, "wrong_invitee"]);
    expect(await signUp("x".repeat(26))).toEqual([404, "invitation_not_found"]);
    const more = await member.browser.send("POST", "/accounts", { name: "More" });
    expect(codeOf(more)).toEqual([403, "sign_up_closed"]);
  });

  it("shows an invitation to anyone with its link, and accepts it once", async () => {
    const email = "guest@example.com";
    const { token } = await owner.invite(email, "owner");
    const shown = { account_name: "Studio", email, role: "owner" };
    expect((await preview(token)).body).toMatchObject(shown);
    const notTheirs = await member.browser.send("POST", "/invitations/accept", { token });
    expect(codeOf(notTheirs)).toEqual([403, "wrong_invitee"]);
    const { accounts, user } = await newBrowser().signUp(email, { invitation: token });
    expect(accounts).toMatchObject([{ id: owner.account, role: "owner" }]);
    // The account has no proof of the address of whom it has shown the link for.
    expect(user).toMatchObject({ email, email_verified: false });
    expect(codeOf(await preview(token))).toEqual([404, "invitation_not_found"]);
    const wanted = { email: "Guest@example.com", role: "viewer" };
    const again = await owner.send("POST", "/invitations", wanted);
    expect(codeOf(again)).toEqual([409, "already_member"]);
  });

  it("refuses an invitation that was withdrawn, was replaced or is a week old", async () => {
    const again = () => owner.invite("late@example.com");
    const statusOf = async (token: string) => (await preview(token)).status;
    const [{ token: first }, { token: second }] = [await again(), await again()];
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    clock.advance(7 * DAY_MS - 1);
    expect(await statusOf(second)).toBe(200);
    clock.advance(1);
    expect(await statusOf(second)).toBe(404);
    const third = await again();
    const list = await owner.get<"InvitationList">("/invitations");
    expect(list.data.map(({ id }) => id)).toEqual([third.id]);
    await owner.send("DELETE", `/invitations/${third.id}`);
    expect(await statusOf(third.token)).toBe(404);
  });

  it("gets another owner only from one who knows the password", async () => {
    const asked = { email: "second-owner@example.com", role: "owner" };
    const refused = [401, "wrong_credentials"];
    for (const body of [asked, { ...asked, current_password: "not the password" }])
      expect(codeOf(await owner.send("POST", "/invitations", body))).toEqual(refused);
    const { userId } = await join("raised@example.com");
    const raise = (more: object) =>
      owner.send("PATCH", `/members/${userId}`, { role: "owner", ...more });
    expect(codeOf(await raise({}))).toEqual(refused);
    expect((await raise({ current_password: PASSWORD })).status).toBe(200);
  });

  it.each(["demoted", "disabled", "deleted"])(
    "is not joined by the invitation of an owner who was %s",
    async (what) => {
      const email = `${what}@example.com`;
      const inviter = await join(email, "owner");
      const { token } = await inviter.invite(`friend-of-${email}`, "owner");
      if (what === "disabled") await harness.accounts.disableUser({ email });
      else if (what === "deleted") await harness.accounts.deleteUser({ email });
      else await owner.send("PATCH", `/members/${inviter.userId}`, { role: "viewer" });
      expect((await preview(token)).status).toBe(404);
    },
  );

  it("is joined by nobody whose invitation is withdrawn in the moment of the acceptance", async () => {
    const { userId, email } = await newOwner();
    const { id } = await owner.invite(email);
    await using sql = openPool(harness.databaseUrl);
    const [invitation] = await sql<InvitationRow[]>`
      select account_id, id, email, role from gateway.invitations where id = ${id}`;
    await owner.send("DELETE", `/invitations/${id}`);
    const deps = { sql, clock, newId: randomId };
    const user = { id: userId, email };
    const joins = await joinAccount(deps, invitation as InvitationRow, user, "203.0.113.7");
    expect(joins).toBeUndefined();
    const { data } = await owner.get<"MemberList">("/members");
    expect(data.map((one) => one.email)).not.toContain(email);
  });

  const ABSENT = [404, "account_not_found"];
  const DENIED = [403, "role_required"];
  it.each([
    ["removed", ABSENT, "delete from gateway.memberships where user_id = $1"],
    ["disabled", ABSENT, "update gateway.users set disabled_at = now() where id = $1"],
    ["demoted", DENIED, "update gateway.memberships set role = 'viewer' where user_id = $1"],
  ])(
    "is not changed by an owner who is %s while the change is in progress",
    async (what, refused, change) => {
      const { userId, send } = await join(`${what}-meanwhile@example.com`, "owner");
      let answer: Promise<{ status: number; body: unknown }> | undefined;
      await harness.owner.begin(async (sql) => {
        await sql`select 1 from gateway.accounts where account_id = ${owner.account} for update`;
        answer = send("PATCH", "", { name: "Renamed" });
        await expect.poll(() => waitingSessions(sql)).toBe(1);
        await sql.unsafe(change, [userId]);
      });
      expect(answer && codeOf(await answer)).toEqual(refused);
      expect(await owner.get("")).toMatchObject({ name: "Studio" });
    },
  );

  it("shows the name that a member has chosen, in the bounds of names", async () => {
    const email = "renamed@example.com";
    const { browser } = await join(email);
    const rename = (name: string) => browser.send("POST", "/auth/name", { name });
    const longest = `Zoë ${"y".repeat(96)}`;
    expect((await rename(longest)).status).toBe(204);
    for (const name of ["", " ", "y".repeat(101), "a\u0000b", "a\ud800"])
      expect((await rename(name)).status).toBe(400);
    expect(await browser.session()).toMatchObject({ user: { email, name: longest } });
    const { data } = await owner.get<"MemberList">("/members");
    expect(data.find((one) => one.email === email)?.name).toBe(longest);
  });

  it("keeps above how many Tokens the playground asks, until 0 takes it away", async () => {
    const set = (change: object, by = owner) => by.send("PATCH", "", change);
    const { body } = await set({ confirm_above_tokens: 500 });
    expect(body).toMatchObject({ name: "Studio", confirm_above_tokens: 500 });
    await set({ name: "Studio" });
    const { accounts } = await owner.browser.session();
    expect(accounts).toMatchObject([{ confirm_above_tokens: 500 }]);
    const none = await set({ confirm_above_tokens: 0 });
    expect(none.body).not.toHaveProperty("confirm_above_tokens");
    expect((await set({ confirm_above_tokens: 1 }, member)).status).toBe(403);
    for (const refused of [{}, { confirm_above_tokens: -1 }])
      expect((await set(refused)).status).toBe(400);
  });

  it("always keeps an owner, and lets members leave", async () => {
    const alone = await newOwner("alone@example.com");
    const own = `/members/${alone.userId}`;
    for (const answer of [
      await alone.send("PATCH", own, { role: "viewer" }),
      await alone.send("DELETE", own),
      await alone.send("DELETE", "/membership"),
    ])
      expect(codeOf(answer)).toEqual([409, "last_owner"]);
    expect((await member.send("DELETE", "/membership")).status).toBe(204);
    expect(codeOf(await member.send("GET", ""))).toEqual([404, "account_not_found"]);
  });
});
