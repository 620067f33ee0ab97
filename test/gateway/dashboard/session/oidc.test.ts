/** Signing in with an identity provider. */
import { afterAll, describe, expect, it } from "vitest";
import {
  ACCESS_TOKEN,
  startOidcProvider,
  type OidcProvider,
} from "../../../support/oidc-provider.ts";
import { insertTogether } from "../../../support/waiting-sessions.ts";
import { totp } from "../../../support/totp.ts";
import {
  PASSWORD,
  invitationToken,
  newBrowser,
  signInWithProvider,
  type Browser,
  type Schemas,
  codeOf,
} from "../browser.ts";
import { useHarness } from "../../harness.ts";

const INVITED = { sub: "1", email: "invited@example.com", name: "Invited", email_verified: true };

let provider: OidcProvider;

const harness = useHarness(async () => {
  provider = await startOidcProvider();
  const oidc = {
    name: "Example login",
    discoveryUrl: provider.discoveryUrl,
    clientId: "media",
    clientSecret: "a secret between the two",
  };
  return { config: { signUp: "invitation", oidc } };
});
afterAll(() => provider[Symbol.asyncDispose]());

const userOf = async (browser: Browser) =>
  (await browser.send<Schemas["Session"]>("GET", "/session")).body.user;

async function invite(email: string): Promise<string> {
  const { account } = await harness.accounts.createAccount({ name: "Studio" });
  const accountId = account?.id ?? "";
  const owner = { accountId, email: `owner-of-${email}`, name: "Owner", password: PASSWORD };
  await harness.accounts.createUser(owner);
  const browser = newBrowser(harness);
  await browser.send("POST", "/auth/sign-in", { email: owner.email, password: PASSWORD });
  const wanted = { email, role: "developer" };
  const path = `/accounts/${accountId}/invitations`;
  const { body } = await browser.send<Schemas["CreatedInvitation"]>("POST", path, wanted);
  return invitationToken(body.url);
}

const linkProvider = (browser: Browser) =>
  signInWithProvider(browser, "/auth/oidc/link", { password: PASSWORD });

describe("signing in with an identity provider", () => {
  it("waits after two hundred attempts of an address", async () => {
    const browser = newBrowser(harness);
    const used = async () => {
      const [row] = await harness.owner<{ attempts: number }[]>`
        select max(attempts) as attempts from gateway.sign_in_attempts`;
      return row?.attempts;
    };
    expect((await browser.send("POST", "/auth/oidc")).status).toBe(200);
    expect(await used()).toBe(1);
    await harness.owner`
      update gateway.sign_in_attempts
      set attempts = 200, next_at = now() + interval '1 minute'`;
    const { status, body } = await browser.send("POST", "/auth/oidc");
    expect([status, body.error.code]).toEqual([429, "too_many_attempts"]);
    await harness.owner`delete from gateway.sign_in_attempts`;
  });

  it("lets invited users in, who then join and have no password", async () => {
    provider.person = INVITED;
    const token = await invite(INVITED.email);
    const browser = newBrowser(harness);
    expect(await signInWithProvider(browser)).toBe(`${harness.url}/dashboard`);
    expect(await userOf(browser)).toMatchObject({
      email: INVITED.email,
      has_password: false,
    });
    const joined = await browser.send<Schemas["Account"]>("POST", "/invitations/accept", { token });
    expect(joined.body).toMatchObject({ name: "Studio", role: "developer" });
    const again = newBrowser(harness);
    await signInWithProvider(again);
    expect((await userOf(again))?.email).toBe(INVITED.email);
  });

  it("lets no other user in, and none into the account of a user with a password, whose address is verified", async () => {
    await harness.owner`
      update gateway.users set email_verified = true where email like 'owner-of-%'`;
    const refusals = {
      "stranger@example.com": "sign_up_closed",
      "owner-of-invited@example.com": "account_not_linked",
    };
    for (const [email, reason] of Object.entries(refusals)) {
      provider.person = { sub: email, email, name: "Stranger", email_verified: true };
      const browser = newBrowser(harness);
      expect(await signInWithProvider(browser)).toContain(`/dashboard/sign-in?error=${reason}`);
      expect(await userOf(browser)).toBeUndefined();
    }
  });

  it("stores the provider's tokens so that who reads the table cannot use them", async () => {
    const rows = await harness.owner`
      select access_token from gateway.user_logins where provider_id = 'oidc'`;
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(ACCESS_TOKEN);
    expect(rows.map((row) => typeof row["access_token"])).not.toContain("object");
  });

  it("is linked to a signed-in user with another e-mail, and unlinked if a password is left", async () => {
    const email = "owner-of-invited@example.com";
    provider.person = { sub: "9", email: "work@example.com", name: "Owner", email_verified: true };
    const owner = newBrowser(harness);
    await owner.send("POST", "/auth/sign-in", { email, password: PASSWORD });
    expect(await linkProvider(owner)).toBe(`${harness.url}/dashboard/account`);
    const linked = newBrowser(harness);
    await signInWithProvider(linked);
    expect(await userOf(linked)).toMatchObject({ email, has_oidc: true });

    provider.person = INVITED;
    expect(await linkProvider(owner)).toMatch(/\/dashboard\/account\?error=/);
    const invited = newBrowser(harness);
    await signInWithProvider(invited);
    const refused = await invited.send("POST", "/auth/oidc/unlink", {});
    expect(codeOf(refused)).toEqual([409, "last_login"]);
    expect((await owner.send("POST", "/auth/oidc/unlink", { password: PASSWORD })).status).toBe(
      204,
    );
    expect(await userOf(owner)).toMatchObject({ has_oidc: false });
  });

  it("is linked to one of two users who link the same login at the same time", async () => {
    provider.person = {
      sub: "shared",
      email: "shared@example.com",
      name: "S",
      email_verified: true,
    };
    await invite("rival@example.com");
    const emails = ["owner-of-invited@example.com", "owner-of-rival@example.com"];
    const users: Browser[] = [];
    for (const email of emails) {
      const browser = newBrowser(harness);
      await browser.send("POST", "/auth/sign-in", { email, password: PASSWORD });
      users.push(browser);
    }
    const ends = await insertTogether(
      harness.owner,
      "gateway.user_logins",
      users.map((browser) => () => linkProvider(browser)),
    );
    expect(ends.toSorted()).toEqual([
      `${harness.url}/dashboard/account`,
      expect.stringMatching(/\/dashboard\/account\?error=/),
    ]);
  });

  it("asks for the second factor, as after a password", async () => {
    const email = "owner-of-invited@example.com";
    const owner = newBrowser(harness);
    await owner.send("POST", "/auth/sign-in", { email, password: PASSWORD });
    provider.person = { sub: "9", email: "work@example.com", name: "Owner", email_verified: true };
    await linkProvider(owner);
    const begun = await owner.send<Schemas["NewSecondFactor"]>("POST", "/auth/second-factor", {
      password: PASSWORD,
    });
    const secret = new URL(begun.body.uri).searchParams.get("secret") ?? "";
    await owner.send("POST", "/auth/second-factor/confirm", { code: totp(secret) });

    const browser = newBrowser(harness);
    await signInWithProvider(browser);
    const session = await browser.send<Schemas["Session"]>("GET", "/session");
    expect(session.body.user).toBeUndefined();
    expect(session.body.needs_second_factor).toBe(true);
    const code = totp(secret, Date.now() + 30_000);
    const body = { kind: "app", code };
    expect((await browser.send("POST", "/auth/sign-in/second-factor", body)).status).toBe(200);
    expect((await userOf(browser))?.email).toBe(email);
  });

  it("asks for the provider's addresses once, not at every sign-in", () => {
    expect(
      provider.asked.filter((path) => path === "/.well-known/openid-configuration"),
    ).toHaveLength(1);
  });

  it("is begun with a proof of the code's receiver, and without our secret", async () => {
    const { body } = await newBrowser(harness).send<Schemas["Redirect"]>("POST", "/auth/oidc");
    expect(new URL(body.url).searchParams.get("code_challenge_method")).toBe("S256");
    expect(body.url).not.toContain("a%20secret");
  });

  it("refuses a provider's redirect that this browser did not request", async () => {
    provider.person = INVITED;
    const asker = newBrowser(harness);
    const begun = await asker.send<Schemas["Redirect"]>("POST", "/auth/oidc");
    const state = new URL(begun.body.url).searchParams.get("state") ?? "";
    const victim = newBrowser(harness);
    const path = `/auth/oauth2/callback/oidc?code=any&state=${encodeURIComponent(state)}`;
    const answer = await victim.send("GET", path);
    expect(answer.headers.get("location")).toMatch(/\/dashboard\/sign-in\?error=/);
    expect(await userOf(victim)).toBeUndefined();
  });

  it("exposes none of the sign-in library's own routes", async () => {
    for (const path of [
      "/auth/sign-in/email",
      "/auth/get-session",
      "/auth/list-sessions",
      "/auth/ok",
    ]) {
      for (const method of ["GET", "POST"]) {
        const { status, body } = await newBrowser(harness).send(method, path);
        expect([status, body.error.code]).toEqual([404, "route_not_found"]);
      }
    }
  });
});
