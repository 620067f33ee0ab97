/** The dashboard's members and invitations. */
import { beforeAll, describe, expect, it } from "vitest";
import type postgres from "postgres";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { randomId } from "#runtime/id.ts";
import { joinAccount } from "../../../services/gateway/dashboard/members/invitations.ts";
import type { InvitationRow } from "../../../services/gateway/store/invitations.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import {
  PASSWORD,
  invitationToken,
  newBrowser,
  type Browser,
  type Schemas,
  codeOf,
} from "./browser.ts";
import { useHarness } from "../harness.ts";

let owner: Browser;
let member: Browser;
let account: string;
const clock = manualClock("2026-11-21T12:00:00.000Z");
const DAY_MS = 24 * 60 * 60_000;

const harness = useHarness({ clock, config: { signUp: "invitation" } });

beforeAll(async () => {
  const { account: made } = await harness.accounts.createAccount({ name: "Studio" });
  account = made?.id ?? "";
  const first = { accountId: account, email: "owner@example.com", name: "Owner" };
  await harness.accounts.createUser({ ...first, password: PASSWORD });
  owner = newBrowser(harness);
  await owner.send("POST", "/auth/sign-in", { email: "owner@example.com", password: PASSWORD });
  member = newBrowser(harness);
  await member.signUp("member@example.com", tokenOf(await invite("member@example.com")));
});

const at = (path: string) => `/accounts/${account}${path}`;

async function invite(email: string, role = "developer") {
  const { status, body } = await owner.send<Schemas["CreatedInvitation"]>(
    "POST",
    at("/invitations"),
    { email, role, ...(role === "owner" ? { current_password: PASSWORD } : {}) },
  );
  expect(status).toBe(201);
  return body;
}

function tokenOf({ url = "" }: Schemas["CreatedInvitation"]): string {
  expect(url).toMatch(/\/dashboard\/invitations#token=[0-9a-z]{26}$/);
  return invitationToken(url);
}

describe("an account", () => {
  it("cannot be joined or created without an invitation when sign-up is by invitation", async () => {
    const browser = newBrowser(harness);
    const wanted = { name: "Uninvited", email: "uninvited@example.com", password: PASSWORD };
    expect(codeOf(await browser.send("POST", "/auth/sign-up", wanted))).toEqual([
      403,
      "sign_up_closed",
    ]);
    const invitation = tokenOf(await invite("someone@example.com"));
    const other = await browser.send("POST", "/auth/sign-up", { ...wanted, invitation });
    expect(codeOf(other)).toEqual([403, "wrong_invitee"]);
    const unknown = { ...wanted, invitation: "x".repeat(26) };
    const none = await browser.send("POST", "/auth/sign-up", unknown);
    expect(codeOf(none)).toEqual([404, "invitation_not_found"]);
    expect(codeOf(await member.send("POST", "/accounts", { name: "More" }))).toEqual([
      403,
      "sign_up_closed",
    ]);
  });

  it("shows an invitation to anyone with its link, and accepts it once", async () => {
    const invitation = tokenOf(await invite("guest@example.com", "owner"));
    const guest = newBrowser(harness);
    const body = { token: invitation };
    const path = "/invitations/retrieve";
    const shown = await guest.send<Schemas["InvitationPreview"]>("POST", path, body);
    expect(shown.body).toMatchObject({
      account_name: "Studio",
      email: "guest@example.com",
      role: "owner",
    });
    const notTheirs = await member.send("POST", "/invitations/accept", body);
    expect(codeOf(notTheirs)).toEqual([403, "wrong_invitee"]);
    const session = await guest.signUp("guest@example.com", invitation);
    expect(session.accounts).toMatchObject([{ id: account, role: "owner" }]);
    expect(codeOf(await guest.send("POST", path, body))).toEqual([404, "invitation_not_found"]);
    const again = await owner.send("POST", at("/invitations"), {
      email: "Guest@example.com",
      role: "viewer",
    });
    expect(codeOf(again)).toEqual([409, "already_member"]);
  });

  it("has no proof of the address of whom it has shown the link for", async () => {
    const email = "unproved@example.com";
    const guest = await newBrowser(harness).signUp(email, tokenOf(await invite(email)));
    expect(guest.user).toMatchObject({ email, email_verified: false });
  });

  it("refuses an invitation that was withdrawn, was replaced or is a week old", async () => {
    const preview = (invitation: Schemas["CreatedInvitation"]) =>
      newBrowser(harness).send("POST", "/invitations/retrieve", { token: tokenOf(invitation) });
    const first = await invite("late@example.com");
    const second = await invite("late@example.com");
    expect((await preview(first)).status).toBe(404);
    expect((await preview(second)).status).toBe(200);
    clock.advance(7 * DAY_MS - 1);
    expect((await preview(second)).status).toBe(200);
    clock.advance(1);
    expect((await preview(second)).status).toBe(404);
    const third = await invite("late@example.com");
    const list = await owner.send<Schemas["InvitationList"]>("GET", at("/invitations"));
    expect(list.body.data.map(({ id }) => id)).toEqual([third.invitation.id]);
    await owner.send("DELETE", at(`/invitations/${third.invitation.id}`));
    expect((await preview(third)).status).toBe(404);
  });

  it("gets another owner only from one who knows the password", async () => {
    const asked = { email: "second-owner@example.com", role: "owner" };
    const wrong = { ...asked, current_password: "not the password" };
    for (const body of [asked, wrong])
      expect((await owner.send("POST", at("/invitations"), body)).body.error.code).toBe(
        "wrong_credentials",
      );
    const email = "raised@example.com";
    const raised = newBrowser(harness);
    const { user } = await raised.signUp(email, tokenOf(await invite(email)));
    const path = at(`/members/${user?.id}`);
    const raise = await owner.send("PATCH", path, { role: "owner" });
    expect(raise.body.error.code).toBe("wrong_credentials");
    const known = { role: "owner", current_password: PASSWORD };
    expect((await owner.send("PATCH", path, known)).status).toBe(200);
  });

  it.each(["demoted", "disabled"])(
    "is not joined by the invitation of an owner who was %s",
    async (what) => {
      const email = `${what}@example.com`;
      const inviter = newBrowser(harness);
      const { user } = await inviter.signUp(email, tokenOf(await invite(email, "owner")));
      const { body } = await inviter.send<Schemas["CreatedInvitation"]>(
        "POST",
        at("/invitations"),
        {
          email: `friend-of-${email}`,
          role: "owner",
          current_password: PASSWORD,
        },
      );
      if (what === "disabled") await harness.accounts.disableUser({ email });
      else await owner.send("PATCH", at(`/members/${user?.id}`), { role: "viewer" });
      const shown = await newBrowser(harness).send("POST", "/invitations/retrieve", {
        token: tokenOf(body),
      });
      expect(shown.status).toBe(404);
    },
  );

  it("is joined by nobody whose invitation is withdrawn in the moment of the acceptance", async () => {
    const { account: other } = await harness.accounts.createAccount({ name: "Other" });
    const name = { email: "rival@example.com", name: "Rival", password: PASSWORD };
    await harness.accounts.createUser({ accountId: other?.id ?? "", ...name });
    const { id } = (await invite("rival@example.com")).invitation;
    const sql = connectPostgres({ url: harness.databaseUrl, maxConnections: 1 }, "test");
    try {
      const [user] = await sql<{ id: string; email: string }[]>`
        select id, email from gateway.users where email = 'rival@example.com'`;
      const [invitation] = await sql<InvitationRow[]>`
        select account_id, id, email, role from gateway.invitations where id = ${id}`;
      if (!user || !invitation) throw new Error("there is no user or no invitation");
      await owner.send("DELETE", at(`/invitations/${id}`));
      expect(
        await joinAccount({ sql, clock, newId: randomId }, invitation, user, "203.0.113.7"),
      ).toBe(false);
    } finally {
      await sql.end();
    }
    const { body } = await owner.send<Schemas["MemberList"]>("GET", at("/members"));
    expect(body.data.map(({ email }) => email)).not.toContain("rival@example.com");
  });

  it("is not changed by an owner who is removed, or gets a smaller role, while the change is in progress", async () => {
    const email = "leaver@example.com";
    const leaver = newBrowser(harness);
    const { user } = await leaver.signUp(email, tokenOf(await invite(email, "owner")));
    const id = user?.id ?? "";
    const renameMeanwhile = async (
      work: (sql: postgres.TransactionSql) => PromiseLike<unknown>,
    ) => {
      let answer: Promise<{ status: number; body: Schemas["DashboardErrorResponse"] }> | undefined;
      await harness.owner.begin(async (sql) => {
        await sql`select 1 from gateway.accounts where account_id = ${account} for update`;
        answer = leaver.send("PATCH", at(""), { name: "Renamed" });
        await expect.poll(() => waitingSessions(sql)).toBe(1);
        await work(sql);
      });
      return answer && codeOf(await answer);
    };
    const toViewer = (sql: postgres.TransactionSql) => sql`
      update gateway.memberships set role = 'viewer' where account_id = ${account} and user_id = ${id}`;
    expect(await renameMeanwhile(toViewer)).toEqual([403, "role_required"]);
    await harness.owner`
      update gateway.memberships set role = 'owner' where account_id = ${account} and user_id = ${id}`;
    const remove = (sql: postgres.TransactionSql) => sql`
      delete from gateway.memberships where account_id = ${account} and user_id = ${id}`;
    expect(await renameMeanwhile(remove)).toEqual([404, "account_not_found"]);
    const { body } = await owner.send<Schemas["Account"]>("GET", at(""));
    expect(body.name).toBe("Studio");
  });

  it("shows the name that a member has chosen, in the bounds of names", async () => {
    const email = "renamed@example.com";
    const browser = newBrowser(harness);
    await browser.signUp(email, tokenOf(await invite(email)));
    const rename = (name: string) => browser.send("POST", "/auth/name", { name });
    const longest = `Zoë ${"y".repeat(96)}`;
    expect((await rename(longest)).status).toBe(204);
    for (const name of ["", " ", "y".repeat(101), "a\u0000b", "a\ud800"]) {
      expect((await rename(name)).status).toBe(400);
    }
    const session = await browser.send<Schemas["Session"]>("GET", "/session");
    expect(session.body.user).toMatchObject({ email, name: longest });
    const { body } = await owner.send<Schemas["MemberList"]>("GET", at("/members"));
    expect(body.data.find((one) => one.email === email)?.name).toBe(longest);
  });

  it("keeps above how many Tokens the playground asks, until 0 takes it away", async () => {
    const set = (change: object, by = owner) =>
      by.send<Schemas["Account"]>("PATCH", at(""), change);
    const { body } = await set({ confirm_above_tokens: 500 });
    expect(body).toMatchObject({ name: "Studio", confirm_above_tokens: 500 });
    await set({ name: "Studio" });
    const { body: session } = await owner.send<Schemas["Session"]>("GET", "/session");
    expect(session.accounts).toMatchObject([{ confirm_above_tokens: 500 }]);
    expect((await set({ confirm_above_tokens: 0 })).body).not.toHaveProperty(
      "confirm_above_tokens",
    );
    expect((await set({ confirm_above_tokens: 1 }, member)).status).toBe(403);
    for (const refused of [{}, { confirm_above_tokens: -1 }]) {
      expect((await set(refused)).status).toBe(400);
    }
  });

  it("always keeps an owner, and lets members leave", async () => {
    const alone = await harness.accounts.createAccount({ name: "Alone" });
    const accountId = alone.account?.id ?? "";
    const user = { accountId, email: "alone@example.com", name: "Alone", password: PASSWORD };
    const { userId } = await harness.accounts.createUser(user);
    const browser = newBrowser(harness);
    await browser.send("POST", "/auth/sign-in", { email: user.email, password: PASSWORD });
    const path = `/accounts/${accountId}/members/${userId}`;
    expect(codeOf(await browser.send("PATCH", path, { role: "viewer" }))).toEqual([
      409,
      "last_owner",
    ]);
    expect(codeOf(await browser.send("DELETE", path))).toEqual([409, "last_owner"]);
    const leaving = await browser.send("DELETE", `/accounts/${accountId}/membership`);
    expect(codeOf(leaving)).toEqual([409, "last_owner"]);
    expect((await member.send("DELETE", at("/membership"))).status).toBe(204);
    expect(codeOf(await member.send("GET", at("")))).toEqual([404, "account_not_found"]);
  });
});
