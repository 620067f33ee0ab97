/** What changes how a user signs in: it asks who they are, and tells them by mail. */
import { forTests } from "../../support/for-tests.ts";
import { startOidcProvider } from "../../support/oidc-provider.ts";
import { linkIn, secretsIn, startSmtp } from "../../support/smtp-server.ts";
import { codeOf, mailBy, oidcOf, PASSWORD, useDashboard, type Browser } from "./browser.ts";
import { routes, urlOf } from "./document-operations.ts";

const smtp = forTests(startSmtp);
const provider = forTests(startOidcProvider);
const { harness, insertPasskey, mailedMember, newBrowser } = useDashboard(async () => ({
  config: { mail: mailBy(smtp), oidc: oidcOf(provider) },
}));

const PASSKEY = "2zjrwfavgwd8tj2ht7shw0cw42";

const signUp = async (email: string) => (await mailedMember(smtp, email)).browser;

const become = (sub: string, email: string) =>
  Object.assign(provider.person, { sub, email, name: sub, email_verified: true });

/** A user who signs in with the provider only. */
async function signInAs(name: string): Promise<Browser> {
  become(name, `${name}@example.com`);
  const browser = newBrowser();
  await browser.signInWithProvider();
  return browser;
}

/** Sends each request of a table to a user; returns how it was refused. */
async function refusals(browser: Browser, table: Record<string, object>) {
  const found: Record<string, unknown> = {};
  for (const route of routes) {
    const { operationId } = route;
    const body = table[operationId];
    if (body) found[operationId] = codeOf(await browser.send(route.method, urlOf(route, ""), body));
  }
  return found;
}

const allOf = (table: object, refusal: [number, string]) =>
  Object.fromEntries(Object.keys(table).map((operationId) => [operationId, refusal]));

/** What a signed-in user may send without a password, and why. */
const HARMLESS = new Set([
  // They end sessions, or have a mail sent to the present address.
  "signOut",
  "endSession",
  "endOtherSessions",
  "sendVerification",
  // It changes what others call the user.
  "changeName",
  // They finish what was begun with the password.
  "createPasskey",
  "confirmSecondFactor",
]);

/** The changes that a user without a password can make too. */
const WITHOUT_PASSWORD: Record<string, object> = {
  changeEmail: { email: "thief@example.com" },
  beginPasskey: {},
  removePasskey: {},
  beginSecondFactor: {},
  removeSecondFactor: {},
  renewRecoveryCodes: {},
  linkOidc: {},
  unlinkOidc: {},
};

const CHANGES: Record<string, object> = {
  changePassword: { current_password: "guess", new_password: "thief's own password" },
  ...Object.fromEntries(
    Object.entries(WITHOUT_PASSWORD).map(([operationId, body]) => [
      operationId,
      { ...body, [operationId === "changeEmail" ? "current_password" : "password"]: "guess" },
    ]),
  ),
};

describe("who has only a session", () => {
  const beginPasskey = (browser: Browser) => browser.send("POST", "/auth/passkeys/options", {});

  it("changes none of its user's ways to sign in: the password is asked for", async () => {
    const changing = routes.filter(
      ({ path, method, security, operationId }) =>
        path.startsWith("/auth/") &&
        method !== "GET" &&
        security === undefined &&
        !HARMLESS.has(operationId),
    );
    const ids = changing.map(({ operationId }) => operationId);
    expect(ids.toSorted()).toEqual(Object.keys(CHANGES).toSorted());
    const browser = await signUp("robbed@example.com");
    for (const table of [CHANGES, WITHOUT_PASSWORD]) {
      expect(await refusals(browser, table)).toEqual(allOf(table, [401, "wrong_credentials"]));
      await harness.owner`delete from gateway.sign_in_attempts`;
    }
  });

  it("of a user without a password changes none either, ten minutes after the sign-in", async () => {
    const browser = await signInAs("passwordless");
    expect((await beginPasskey(browser)).status).toBe(200);
    expect((await browser.send("POST", "/auth/second-factor", {})).status).toBe(200);
    await harness.owner`
      update gateway.sessions set created_at = created_at - interval '10 minutes'
      where user_id = (select id from gateway.users where email = 'passwordless@example.com')`;
    const refused = await refusals(browser, WITHOUT_PASSWORD);
    expect(refused).toEqual(allOf(WITHOUT_PASSWORD, [403, "fresh_sign_in_required"]));
    expect((await beginPasskey(await signInAs("passwordless"))).status).toBe(200);
  });

  it.each([
    ["a user without a password", () => signInAs("restless"), "/auth/passkeys/options", {}],
    [
      "a user with one",
      () => signUp("restless@example.org"),
      "/auth/password",
      { current_password: PASSWORD, new_password: PASSWORD },
    ],
  ])("of %s makes as many changes as are counted, so that no mails pile up", async (...of) => {
    const [_who, signedIn, path, body] = of;
    const browser = await signedIn();
    expect((await browser.send("POST", path, body)).status).toBeLessThan(300);
    await harness.owner`update gateway.sign_in_attempts set next_at = now() + interval '1 hour'`;
    expect(codeOf(await browser.send("POST", path, body))).toEqual([429, "too_many_attempts"]);
    await harness.owner`delete from gateway.sign_in_attempts`;
  });
});

describe("a mail", () => {
  const email = "told@example.com";
  const password = PASSWORD;
  const browser = forTests(() => signUp(email));

  /** The text of the next mail, which leads to where a new password is set. */
  const told = async (to = email) => {
    const mail = await smtp.next(to);
    expect(linkIn(mail).pathname).toBe("/dashboard/forgotten-password");
    return mail.text;
  };
  const send = async (path: string, body: object = { password }) => {
    const answer = await browser.send<Record<string, string>>("POST", path, body);
    expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 204])]);
    return answer.body;
  };
  const tokenFor = async (to: string) => secretsIn(await smtp.next(to))["token"];

  it("tells of a second factor, its recovery codes and its end", async () => {
    await (await browser.beginSecondFactor()).confirm();
    expect(await told()).toMatch(/second factor was set up/);
    await send("/auth/second-factor/recovery-codes");
    expect(await told()).toMatch(/recovery codes were replaced/);
    await send("/auth/second-factor/remove");
    expect(await told()).toMatch(/second factor was removed/);
  });

  it("tells of a removed passkey", async () => {
    await insertPasskey((await browser.user())?.id ?? "", PASSKEY);
    await send(`/auth/passkeys/${PASSKEY}/remove`);
    expect(await told()).toMatch(/passkey was removed/);
  });

  it("tells of a linked login at the provider and its end, whoever follows the provider's redirect", async () => {
    become("told", "work@example.com");
    const { url = "" } = await send("/auth/oidc/link");
    const there = await fetch(url, { redirect: "manual" });
    const back = new URL(there.headers.get("location") ?? "");
    const follower = newBrowser();
    for (const [name, value] of browser.cookies)
      if (!name.includes("session")) follower.cookies.set(name, value);
    await follower.send("GET", back.pathname.replace("/dashboard/api", "") + back.search);
    expect(await told()).toMatch(/identity provider was linked/);
    await send("/auth/oidc/unlink");
    expect(await told()).toMatch(/identity provider was unlinked/);
  });

  it("tells nobody of a login at the provider by which somebody has signed up", async () => {
    await signInAs("newcomer");
    await signUp("after@example.com");
    expect(smtp.received.map(({ to }) => to)).not.toContain("newcomer@example.com");
  });

  it("tells of a changed password, and of one that was set by a link", async () => {
    await send("/auth/password", { current_password: PASSWORD, new_password: "another password" });
    expect(await told()).toMatch(/password was changed/);
    await send("/auth/password/forgotten", { email });
    const token = await tokenFor(email);
    await send("/auth/password/reset", { token, new_password: PASSWORD });
    expect(await told()).toMatch(/new password was set by a mailed link/);
    await browser.signIn(email);
  });

  it("tells both addresses of a changed address, and of what an operator removes", async () => {
    const newEmail = "moved@example.com";
    await send("/auth/email", { email: newEmail, current_password: PASSWORD });
    const both = [email, newEmail];
    for (const to of both) await send("/auth/email/confirm", { token: await tokenFor(to) });
    for (const to of both) expect(await told(to)).toMatch(/address was changed/);
    await harness.accounts.resetUserPassword({ email: newEmail, removeSecondFactor: true });
    expect(await told(newEmail)).toMatch(/operator removed the second factor/);
  });
});
