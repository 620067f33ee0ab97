/** Addresses that are proved by mail: sign-up, invitations, forgotten passwords and changes of address. */
import { afterAll, describe, expect, it } from "vitest";
import { linkIn, secretsIn, startSmtp, type Smtp } from "../../support/smtp-server.ts";
import { PASSWORD, newBrowser, type Browser, type Schemas, codeOf } from "./browser.ts";
import { useHarness } from "../harness.ts";

let smtp: Smtp;

const harness = useHarness(async () => {
  smtp = await startSmtp();
  return { config: { mail: { kind: "smtp", url: smtp.url, from: "Media <media@example.com>" } } };
});
afterAll(() => smtp[Symbol.asyncDispose]());

/** Asks for a sign-up link; returns the token in the mail. */
async function proofFor(browser: Browser, email: string): Promise<string> {
  expect((await browser.send("POST", "/auth/sign-up/mail", { email })).status).toBe(204);
  const secrets = secretsIn(await smtp.next(email));
  expect(secrets["email"]).toBe(email);
  return secrets["token"] ?? "";
}

async function signUp(browser: Browser, email: string): Promise<Schemas["Session"]> {
  const proof = await proofFor(browser, email);
  const user = { name: "Ada", email, password: PASSWORD, proof };
  const { status, body } = await browser.send<Schemas["Session"]>("POST", "/auth/sign-up", user);
  expect(status).toBe(201);
  return body;
}

const userOf = async (browser: Browser) =>
  (await browser.send<Schemas["Session"]>("GET", "/session")).body.user;

const signIn = (browser: Browser, email: string, password = PASSWORD) =>
  browser.send("POST", "/auth/sign-in", { email, password });

describe("an address", () => {
  it("counts as taken, and gets an account with test Tokens, only once a mailed link was opened", async () => {
    const email = "ada@example.com";
    const browser = newBrowser(harness);
    const user = { name: "Ada", email, password: PASSWORD };
    expect(codeOf(await browser.send("POST", "/auth/sign-up", user))).toEqual([
      403,
      "email_unverified",
    ]);
    const mallory = await proofFor(browser, "mallory@example.com");
    expect(
      codeOf(await browser.send("POST", "/auth/sign-up", { ...user, proof: mallory })),
    ).toEqual([404, "link_invalid"]);
    const [before] = await harness.owner`select count(*)::int as users from gateway.users`;
    expect(before).toEqual({ users: 0 });
    const session = await signUp(browser, email);
    expect(session.user).toMatchObject({ email, email_verified: true });
    expect(session.accounts).toHaveLength(1);
  });

  it("that has a login gets a mail that says so, and the same answer", async () => {
    const email = "twice@example.com";
    await signUp(newBrowser(harness), email);
    const { status } = await newBrowser(harness).send("POST", "/auth/sign-up/mail", { email });
    expect(status).toBe(204);
    const mail = await smtp.next(email);
    expect(mail.subject).toContain("already have a login");
    expect(linkIn(mail).pathname).toBe("/dashboard/forgotten-password");
  });

  it("of a user from before there was mail is not lost: it works, and can be verified", async () => {
    const { account } = await harness.accounts.createAccount({ name: "Studio" });
    const email = "before@example.com";
    const user = { accountId: account?.id ?? "", email, name: "Before", password: PASSWORD };
    await harness.accounts.createUser(user);
    const browser = newBrowser(harness);
    expect((await signIn(browser, email)).status).toBe(200);
    const another = () => browser.send("POST", "/accounts", { name: "Another" });
    expect(codeOf(await another())).toEqual([403, "email_unverified"]);
    expect((await browser.send("POST", "/auth/email/verification")).status).toBe(204);
    const { token } = secretsIn(await smtp.next(email));
    const path = "/auth/email/confirm";
    const confirmed = await newBrowser(harness).send("POST", path, { token });
    expect(confirmed.body).toEqual({ result: "verified" });
    expect((await another()).status).toBe(201);
  });

  it("gets five mails, and then one after a delay that grows", async () => {
    const email = "flooded@example.com";
    const browser = newBrowser(harness);
    for (let i = 0; i < 6; i++) await proofFor(browser, email);
    const refused = await browser.send("POST", "/auth/password/forgotten", { email });
    expect(codeOf(refused)).toEqual([429, "too_many_attempts"]);
  });
});

describe("an invitation", () => {
  it("is mailed, not shown, and proves the address of whoever opens it", async () => {
    const owner = newBrowser(harness);
    const session = await signUp(owner, "owner@example.com");
    const email = "guest@example.com";
    const path = `/accounts/${session.accounts[0]?.id}/invitations`;
    const { status, text } = await owner.send("POST", path, { email, role: "developer" });
    expect(status).toBe(201);
    const mail = await smtp.next(email);
    expect(mail.text).toContain("owner@example.com invites you");
    const { token = "" } = secretsIn(mail);
    expect(text).not.toContain(token);
    const guest = await newBrowser(harness).signUp(email, token);
    expect(guest.user).toMatchObject({ email, email_verified: true });
  });

  it("that is mailed proves the address of a user who accepts it, too", async () => {
    const [owner, guest] = [newBrowser(harness), newBrowser(harness)];
    const session = await signUp(owner, "host@example.com");
    const email = "unproved@example.com";
    const id = (await signUp(guest, email)).user?.id ?? "";
    await harness.owner`update gateway.users set email_verified = false where id = ${id}`;
    const path = `/accounts/${session.accounts[0]?.id}/invitations`;
    await owner.send("POST", path, { email, role: "developer" });
    const { token } = secretsIn(await smtp.next(email));
    expect((await guest.send("POST", "/invitations/accept", { token })).status).toBe(200);
    const users = await harness.owner`select email_verified from gateway.users where id = ${id}`;
    expect(users).toEqual([{ email_verified: true }]);
  });
});

describe("invitations of an address", () => {
  it("send no more mails than it may get", async () => {
    await harness.owner`delete from gateway.sign_in_attempts`;
    const owner = newBrowser(harness);
    const session = await signUp(owner, "inviter@example.com");
    const path = `/accounts/${session.accounts[0]?.id}/invitations`;
    const statuses: number[] = [];
    for (let mail = 0; mail < 7; mail++) {
      const wanted = { email: "often@example.com", role: "viewer" };
      statuses.push((await owner.send("POST", path, wanted)).status);
    }
    expect(statuses).toEqual([...Array<number>(6).fill(201), 429]);
  });
});

describe("a request to operators", () => {
  it("waits once of its kind, is answered by mail, does what it asks for, and is in the audit log", async () => {
    const email = "asker@example.com";
    const owner = newBrowser(harness);
    const account = (await signUp(owner, email)).accounts[0]?.id ?? "";
    const path = `/accounts/${account}/requests`;
    const wanted = { kind: "production", message: "Clips for our shop" };
    const ask = (body: object) => owner.send<Schemas["AccountRequest"]>("POST", path, body);
    const asked = await ask(wanted);
    expect([asked.status, asked.body.status]).toEqual([201, "waiting"]);
    expect((await ask(wanted)).status).toBe(409);
    expect((await ask({ ...wanted, tokens: 5 })).status).toBe(400);
    expect((await ask({ ...wanted, kind: "tokens" })).status).toBe(400);
    const tokens = await ask({ ...wanted, kind: "tokens", tokens: 5_000 });
    const { requests } = await harness.accounts.listAccountRequests({ limit: 10 });
    expect(requests).toMatchObject([
      { id: asked.body.id, accountId: account, email, message: wanted.message },
      { id: tokens.body.id, tokens: 5_000n },
    ]);

    const request = { accountId: account, requestId: asked.body.id, approved: true };
    await harness.accounts.answerAccountRequest({ ...request, answer: "Welcome." });
    const mail = await smtp.next(email);
    expect(mail.text).toMatch(/production access .* was approved\.\s+Welcome\./);
    const refused = { accountId: account, requestId: tokens.body.id, approved: false };
    await harness.accounts.answerAccountRequest(refused);
    expect((await smtp.next(email)).text).toContain("5000 Tokens at Media Generation was refused");
    await expect(harness.accounts.answerAccountRequest(refused)).rejects.toThrow("waits for");

    const { body: session } = await owner.send<Schemas["Session"]>("GET", "/session");
    expect(session.accounts).toMatchObject([{ production_granted: true }]);
    const { body: list } = await owner.send<Schemas["AccountRequestList"]>("GET", path);
    expect(list.data.map(({ status, answer }) => [status, answer])).toEqual([
      ["refused", ""],
      ["approved", "Welcome."],
    ]);
    const log = `/accounts/${account}/audit-log`;
    const { body: entries } = await owner.send<Schemas["AuditEntryList"]>("GET", log);
    expect(entries.data.map(({ action }) => action).toSorted()).toEqual([
      "account.create",
      "account.grant_production",
      "request.answer",
      "request.answer",
      "request.create",
      "request.create",
    ]);
  });
});

describe("a forgotten password", () => {
  it("is set anew by a link that works once and ends every session", async () => {
    const email = "forgetful@example.com";
    const earlier = newBrowser(harness);
    await signUp(earlier, email);
    const browser = newBrowser(harness);
    for (const one of [email, "nobody@example.com"]) {
      const path = "/auth/password/forgotten";
      expect((await browser.send("POST", path, { email: one })).status).toBe(204);
    }
    const { token } = secretsIn(await smtp.next(email));
    expect(smtp.received.map(({ to }) => to)).not.toContain("nobody@example.com");
    const stored = await harness.owner`
      select 1 as one from gateway.verifications where identifier like ${`%${token}%`}`;
    expect(stored).toHaveLength(0);
    const reset = (new_password: string) =>
      browser.send("POST", "/auth/password/reset", { token, new_password });
    // A refused password does not use up the link.
    expect(codeOf(await reset("password12"))).toEqual([400, "weak_password"]);
    expect((await reset("a new password")).status).toBe(204);
    const { body } = await earlier.send<Schemas["Session"]>("GET", "/session");
    expect([body.user, body.ended_because]).toEqual([undefined, "password_changed"]);
    expect((await signIn(browser, email)).status).toBe(401);
    expect((await signIn(browser, email, "a new password")).status).toBe(200);
    expect(codeOf(await reset("another password"))).toEqual([404, "link_invalid"]);
  });

  it("gives an address to its owner that somebody else had signed up with before there was mail", async () => {
    const { account } = await harness.accounts.createAccount({ name: "Squatted" });
    const email = "victim@example.com";
    const squatter = { accountId: account?.id ?? "", email, name: "Squatter", password: PASSWORD };
    const { userId } = await harness.accounts.createUser(squatter);
    await harness.owner`
      insert into gateway.user_logins
        (id, user_id, provider_id, provider_user_id, created_at, updated_at)
      values ('squatter', ${userId}, 'oidc', 'squatter', now(), now())`;
    await harness.owner`
      insert into gateway.passkeys
        (id, user_id, name, public_key, credential_id, counter, device_type, backed_up, created_at)
      values ('squatter', ${userId}, 'Phone', 'key', 'squatter', 0, 'singleDevice', false, now())`;
    await harness.owner`
      insert into gateway.second_factors (id, user_id, secret, backup_codes, verified)
      values ('squatter', ${userId}, 'secret', 'codes', true)`;
    await harness.owner`update gateway.users set two_factor_enabled = true where id = ${userId}`;
    const browser = newBrowser(harness);
    await browser.send("POST", "/auth/password/forgotten", { email });
    const { token } = secretsIn(await smtp.next(email));
    const body = { token, new_password: "the owner's own" };
    expect((await browser.send("POST", "/auth/password/reset", body)).status).toBe(204);
    await signIn(browser, email, "the owner's own");
    expect(await userOf(browser)).toMatchObject({
      email_verified: true,
      has_oidc: false,
      has_second_factor: false,
    });
    const passkeys = await browser.send<Schemas["PasskeyList"]>("GET", "/auth/passkeys");
    expect(passkeys.body.data).toEqual([]);
  });
});

describe("a change of address", () => {
  it("is confirmed at the present address and then at the new one", async () => {
    const [email, newEmail] = ["present@example.com", "new@example.com"];
    const browser = newBrowser(harness);
    await signUp(browser, email);
    const change = (current_password: string) =>
      browser.send("POST", "/auth/email", { email: newEmail, current_password });
    expect(codeOf(await change("not the password"))).toEqual([401, "wrong_credentials"]);
    expect((await change(PASSWORD)).status).toBe(204);
    const confirm = async (to: string) => {
      const { token } = secretsIn(await smtp.next(to));
      return (await browser.send("POST", "/auth/email/confirm", { token })).body;
    };
    expect(await confirm(email)).toEqual({ result: "sent_to_new_address" });
    expect((await userOf(browser))?.email).toBe(email);
    expect(await confirm(newEmail)).toEqual({ result: "changed" });
    expect(await userOf(browser)).toMatchObject({ email: newEmail, email_verified: true });
  });

  it("to one that somebody has signed up with in the meantime is refused, not lost", async () => {
    const [email, newEmail] = ["slow@example.com", "fast@example.com"];
    const browser = newBrowser(harness);
    await signUp(browser, email);
    await browser.send("POST", "/auth/email", { email: newEmail, current_password: PASSWORD });
    const confirm = async (to: string) => {
      const { token } = secretsIn(await smtp.next(to));
      return browser.send("POST", "/auth/email/confirm", { token });
    };
    expect((await confirm(email)).status).toBe(200);
    const { token } = secretsIn(await smtp.next(newEmail));
    await signUp(newBrowser(harness), newEmail);
    const late = await browser.send("POST", "/auth/email/confirm", { token });
    expect(codeOf(late)).toEqual([409, "email_taken"]);
    expect((await userOf(browser))?.email).toBe(email);
  });

  it("sends no more mails than an address may get, present or new", async () => {
    const change = async (from: string, to: string) => {
      const browser = newBrowser(harness);
      await signUp(browser, from);
      const flooded = from.startsWith("flooded") ? from : to;
      const path = "/auth/password/forgotten";
      let status = 204;
      while (status === 204) {
        status = (await browser.send("POST", path, { email: flooded })).status;
      }
      const body = { email: to, current_password: PASSWORD };
      return codeOf(await browser.send("POST", "/auth/email", body));
    };
    await harness.owner`delete from gateway.sign_in_attempts`;
    const tooMany = [429, "too_many_attempts"];
    expect(await change("flooded-1@example.com", "free@example.com")).toEqual(tooMany);
    expect(await change("calm@example.com", "flooded-2@example.com")).toEqual(tooMany);
  });

  it("to the address of another user sends nothing and says nothing", async () => {
    const [email, taken] = ["curious@example.com", "known@example.com"];
    await signUp(newBrowser(harness), taken);
    const browser = newBrowser(harness);
    await signUp(browser, email);
    const before = smtp.received.length;
    const body = { email: taken, current_password: PASSWORD };
    expect((await browser.send("POST", "/auth/email", body)).status).toBe(204);
    await proofFor(browser, "after@example.com");
    expect(smtp.received.slice(before).map(({ to }) => to)).toEqual(["after@example.com"]);
  });
});
