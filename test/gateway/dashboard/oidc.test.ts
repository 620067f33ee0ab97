/** Signing in with an identity provider. */
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { PASSWORD, newBrowser } from "./browser.ts";
import type { Browser, Schemas } from "./browser.ts";
import { useHarness } from "../harness.ts";

let provider: Server;
/** The paths of the provider that were asked for. */
const asked: string[] = [];
/** The user who is signed in at the identity provider. */
let person: { sub: string; email: string; name: string; email_verified: boolean };

const harness = useHarness(async () => {
  provider = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    asked.push(request.url ?? "");
    const responses: Record<string, object> = {
      "/.well-known/openid-configuration": {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
      },
      "/token": { access_token: "access", token_type: "Bearer", expires_in: 60 },
      "/userinfo": person,
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(responses[request.url ?? ""] ?? {}));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const { port } = provider.address() as AddressInfo;
  const oidc = {
    name: "Example login",
    discoveryUrl: `http://127.0.0.1:${port}/.well-known/openid-configuration`,
    clientId: "media",
    clientSecret: "a secret between the two",
  };
  return { config: { signUp: "invitation", oidc } };
});
afterAll(() => void provider.close());

/** Signs in at the provider as `person`; returns the URL at which the browser ends. */
async function signInWithProvider(browser: Browser, path = "/auth/oidc"): Promise<string> {
  const begun = await browser.send<Schemas["Redirect"]>("POST", path);
  const there = new URL(begun.body.url);
  expect(there.searchParams.get("code_challenge_method")).toBe("S256");
  expect(begun.body.url).not.toContain("a%20secret");
  const back = new URL(there.searchParams.get("redirect_uri") ?? "");
  const callback = back.pathname.replace("/dashboard/api", "");
  const state = encodeURIComponent(there.searchParams.get("state") ?? "");
  const answer = await browser.send("GET", `${callback}?code=any&state=${state}`);
  return answer.headers.get("location") ?? "";
}

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
  return body.url?.split("/").at(-1) ?? "";
}

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
    person = { sub: "1", email: "invited@example.com", name: "Invited", email_verified: true };
    const token = await invite(person.email);
    const browser = newBrowser(harness);
    expect(await signInWithProvider(browser)).toBe(`${harness.url}/dashboard`);
    expect(await userOf(browser)).toMatchObject({ email: person.email, has_password: false });
    const joined = await browser.send<Schemas["Account"]>("POST", `/invitations/${token}/accept`);
    expect(joined.body).toMatchObject({ name: "Studio", role: "developer" });
    const again = newBrowser(harness);
    await signInWithProvider(again);
    expect((await userOf(again))?.email).toBe(person.email);
  });

  it("lets no other user in, and none into the account of a user with a password", async () => {
    const refusals = {
      "stranger@example.com": "sign_up_closed",
      "owner-of-invited@example.com": "account_not_linked",
    };
    for (const [email, reason] of Object.entries(refusals)) {
      person = { sub: email, email, name: "Stranger", email_verified: true };
      const browser = newBrowser(harness);
      expect(await signInWithProvider(browser)).toContain(`/dashboard/sign-in?error=${reason}`);
      expect(await userOf(browser)).toBeUndefined();
    }
  });

  it("is linked to a signed-in user with another e-mail, and unlinked if a password is left", async () => {
    const email = "owner-of-invited@example.com";
    person = { sub: "9", email: "work@example.com", name: "Owner", email_verified: true };
    const owner = newBrowser(harness);
    await owner.send("POST", "/auth/sign-in", { email, password: PASSWORD });
    expect(await signInWithProvider(owner, "/auth/oidc/link")).toBe(
      `${harness.url}/dashboard/account`,
    );
    const linked = newBrowser(harness);
    await signInWithProvider(linked);
    expect(await userOf(linked)).toMatchObject({ email, has_oidc: true });

    person = { sub: "1", email: "invited@example.com", name: "Invited", email_verified: true };
    expect(await signInWithProvider(owner, "/auth/oidc/link")).toMatch(
      /\/dashboard\/account\?error=/,
    );
    const invited = newBrowser(harness);
    await signInWithProvider(invited);
    const refused = await invited.send("DELETE", "/auth/oidc/link");
    expect([refused.status, refused.body.error.code]).toEqual([409, "last_login"]);
    expect((await owner.send("DELETE", "/auth/oidc/link")).status).toBe(204);
    expect(await userOf(owner)).toMatchObject({ has_oidc: false });
  });

  it("asks for the provider's addresses once, not at every sign-in", () => {
    expect(asked.filter((path) => path === "/.well-known/openid-configuration")).toHaveLength(1);
  });

  it("refuses a provider's redirect that this browser did not request", async () => {
    person = { sub: "1", email: "invited@example.com", name: "Invited", email_verified: true };
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
