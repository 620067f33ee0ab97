/** Signing in with an identity provider. */
import { forTests } from "../../../support/for-tests.ts";
import { ACCESS_TOKEN, startOidcProvider } from "../../../support/oidc-provider.ts";
import { totp } from "../../../support/totp.ts";
import { insertTogether } from "../../../support/waiting-sessions.ts";
import { codeOf, oidcOf, PASSWORD, useDashboard, type Browser } from "../browser.ts";

const provider = forTests(startOidcProvider);
const { harness, newBrowser, newOwner } = useDashboard(async () => ({
  config: { signUp: "invitation", oidc: oidcOf(provider) },
}));

/** Who is signed in at the provider. */
const become = (sub: string, email: string) =>
  Object.assign(provider.person, { sub, email, name: "Person", email_verified: true });
const becomeInvited = () => become("1", "invited@example.com");

async function signedIn(email: string): Promise<Browser> {
  const browser = newBrowser();
  await browser.signIn(email);
  return browser;
}

async function byProvider(): Promise<Browser> {
  const browser = newBrowser();
  await browser.signInWithProvider();
  return browser;
}

const OWNER = "owner@example.com";
const linkProvider = (browser: Browser) =>
  browser.signInWithProvider("/auth/oidc/link", { password: PASSWORD });

describe("signing in with an identity provider", () => {
  it("waits after two hundred attempts of an address", async () => {
    const begin = () => newBrowser().send("POST", "/auth/oidc");
    expect((await begin()).status).toBe(200);
    const counted = await harness.owner`
      update gateway.sign_in_attempts
      set attempts = 200, next_at = now() + interval '1 minute' where attempts = 1`;
    expect(counted.count).toBe(1);
    expect(codeOf(await begin())).toEqual([429, "too_many_attempts"]);
    await harness.owner`delete from gateway.sign_in_attempts`;
  });

  it("lets invited users in, who then join and have no password", async () => {
    becomeInvited();
    const { email } = provider.person;
    const owner = await newOwner(OWNER);
    const { token } = await owner.invite(email);
    const { id } = await owner.invite("too-late@example.com");
    await harness.owner`update gateway.invitations set expires_at = now() where id = ${id}`;
    const browser = newBrowser();
    expect(await browser.signInWithProvider()).toBe(`${harness.url}/dashboard`);
    expect(await browser.user()).toMatchObject({ email, has_password: false });
    const joined = await browser.send("POST", "/invitations/accept", { token });
    expect(joined.body).toMatchObject({ name: "Studio", role: "developer" });
    expect((await (await byProvider()).user())?.email).toBe(email);
  });

  it.each([
    ["too-late@example.com", "sign_up_closed"],
    [OWNER, "account_not_linked"],
  ])(
    "lets no other user in, and none into the account of a user with a password, whose address is verified: %s",
    async (email, reason) => {
      await harness.owner`update gateway.users set email_verified = true where email = ${OWNER}`;
      become(email, email);
      const browser = newBrowser();
      const end = await browser.signInWithProvider();
      expect(end).toContain(`/dashboard/sign-in?error=${reason}`);
      expect(await browser.user()).toBeUndefined();
    },
  );

  it("stores the provider's tokens so that who reads the table cannot use them", async () => {
    const rows = await harness.owner`
      select access_token from gateway.user_logins where provider_id = 'oidc'`;
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(ACCESS_TOKEN);
    expect(rows.map((row) => typeof row["access_token"])).not.toContain("object");
  });

  it("is linked to a signed-in user with another e-mail, and unlinked if a password is left", async () => {
    become("9", "work@example.com");
    const owner = await signedIn(OWNER);
    expect(await linkProvider(owner)).toBe(`${harness.url}/dashboard/account`);
    expect(await (await byProvider()).user()).toMatchObject({ email: OWNER, has_oidc: true });

    becomeInvited();
    expect(await linkProvider(owner)).toMatch(/\/dashboard\/account\?error=/);
    const unlink = (browser: Browser, body: object) =>
      browser.send("POST", "/auth/oidc/unlink", body);
    expect(codeOf(await unlink(await byProvider(), {}))).toEqual([409, "last_login"]);
    expect((await unlink(owner, { password: PASSWORD })).status).toBe(204);
    expect(await owner.user()).toMatchObject({ has_oidc: false });
  });

  it("is linked to one of two users who link the same login at the same time", async () => {
    become("shared", "shared@example.com");
    const { browser: rival } = await newOwner("rival@example.com");
    const links = [await signedIn(OWNER), rival].map((browser) => () => linkProvider(browser));
    const ends = await insertTogether(harness.owner, "gateway.user_logins", links);
    expect(ends.toSorted()).toEqual([
      `${harness.url}/dashboard/account`,
      expect.stringMatching(/\/dashboard\/account\?error=/),
    ]);
  });

  it("asks for the second factor, as after a password", async () => {
    const owner = await signedIn(OWNER);
    become("9", "work@example.com");
    await linkProvider(owner);
    const { secret, confirm } = await owner.beginSecondFactor();
    await confirm();

    const browser = await byProvider();
    const { user, needs_second_factor } = await browser.session();
    expect([user, needs_second_factor]).toEqual([undefined, true]);
    const body = { kind: "app", code: totp(secret, Date.now() + 30_000) };
    expect((await browser.send("POST", "/auth/sign-in/second-factor", body)).status).toBe(200);
    expect((await browser.user())?.email).toBe(OWNER);
  });

  it("is begun with a proof of the code's receiver and without our secret, and ends in no other browser", async () => {
    becomeInvited();
    const { body } = await newBrowser().send<"Redirect">("POST", "/auth/oidc");
    const { searchParams } = new URL(body.url);
    expect(searchParams.get("code_challenge_method")).toBe("S256");
    expect(body.url).not.toContain("a%20secret");
    const state = searchParams.get("state") ?? "";
    const victim = newBrowser();
    const path = `/auth/oauth2/callback/oidc?code=any&state=${encodeURIComponent(state)}`;
    const answer = await victim.send("GET", path);
    expect(answer.headers.get("location")).toMatch(/\/dashboard\/sign-in\?error=/);
    expect(await victim.user()).toBeUndefined();
  });

  it.each(["sign-in/email", "get-session", "list-sessions", "ok"])(
    "exposes none of the sign-in library's own routes: %s",
    async (path) => {
      for (const method of ["GET", "POST"]) {
        const answer = await newBrowser().send(method, `/auth/${path}`);
        expect(codeOf(answer)).toEqual([404, "route_not_found"]);
      }
    },
  );
});
