/** Addresses that are proved by mail: sign-up, invitations, forgotten passwords and changes of address. */
import { forTests } from "../../support/for-tests.ts";
import { linkIn, secretsIn, startSmtp } from "../../support/smtp-server.ts";
import { codeOf, mailBy, PASSWORD, useDashboard, type Browser } from "./browser.ts";

const smtp = forTests(startSmtp);
const { harness, insertPasskey, mailedMember, newBrowser, newOwner } = useDashboard(async () => ({
  config: { mail: mailBy(smtp) },
}));

const signedUp = (email?: string) => mailedMember(smtp, email);
const tokenFor = async (email: string) => secretsIn(await smtp.next(email))["token"] ?? "";
const forget = (email: string, browser = newBrowser()) =>
  browser.send("POST", "/auth/password/forgotten", { email });
const changeEmail = (browser: Browser, email: string) =>
  browser.send("POST", "/auth/email", { email, current_password: PASSWORD });
/** Opens the next link that was mailed to the address. */
const confirm = async (email: string, browser = newBrowser()) =>
  browser.send("POST", "/auth/email/confirm", { token: await tokenFor(email) });
const NEW = "a new password";
const CHANGE = { current_password: PASSWORD, new_password: NEW };
const reset = (token: string, new_password = NEW, browser = newBrowser()) =>
  browser.send("POST", "/auth/password/reset", { token, new_password });
/** Changes the address, and opens the links that are mailed to both. */
async function moveTo(browser: Browser, email: string, newEmail: string) {
  expect((await changeEmail(browser, newEmail)).status).toBe(204);
  expect((await confirm(email, browser)).body).toEqual({ result: "sent_to_new_address" });
  expect((await browser.user())?.email).toBe(email);
  return confirm(newEmail, browser);
}
const TOO_MANY = [429, "too_many_attempts"];

describe("an address", () => {
  it("counts as taken, and gets an account with test Tokens, only once a mailed link was opened", async () => {
    const email = "ada@example.com";
    const browser = newBrowser();
    const user = { name: "Ada", email, password: PASSWORD };
    const signUp = (more: object) => browser.send("POST", "/auth/sign-up", { ...user, ...more });
    expect(codeOf(await signUp({}))).toEqual([403, "email_unverified"]);
    const mallory = await browser.proofFor(smtp, "mallory@example.com");
    expect(codeOf(await signUp({ proof: mallory }))).toEqual([404, "link_invalid"]);
    expect(await harness.owner`select id from gateway.users`).toHaveLength(0);
    const { user: ada, accounts } = await (await signedUp(email)).browser.session();
    expect(ada).toMatchObject({ email, email_verified: true });
    expect(accounts).toHaveLength(1);
  });

  it("that has a login gets a mail that says so, and the same answer", async () => {
    const { email } = await signedUp();
    const { status } = await newBrowser().send("POST", "/auth/sign-up/mail", { email });
    expect(status).toBe(204);
    const mail = await smtp.next(email);
    expect(mail.subject).toContain("already have a login");
    expect(linkIn(mail).pathname).toBe("/dashboard/forgotten-password");
  });

  it("of a user from before there was mail is not lost: it works, and can be verified", async () => {
    const { browser, email } = await newOwner();
    const another = () => browser.send("POST", "/accounts", { name: "Another" });
    expect(codeOf(await another())).toEqual([403, "email_unverified"]);
    expect((await browser.send("POST", "/auth/email/verification")).status).toBe(204);
    expect((await confirm(email)).body).toEqual({ result: "verified" });
    expect((await another()).status).toBe(201);
  });

  it("gets five mails, and then one after a delay that grows", async () => {
    const email = "flooded@example.com";
    for (let i = 0; i < 6; i++) await newBrowser().proofFor(smtp, email);
    expect(codeOf(await forget(email))).toEqual(TOO_MANY);
    const { browser } = await newOwner(email);
    expect(codeOf(await browser.send("POST", "/auth/email/verification"))).toEqual(TOO_MANY);
  });
});

describe("an invitation", () => {
  it("is mailed, not shown, and proves the address of whoever opens it", async () => {
    const owner = await signedUp("owner@example.com");
    const email = "guest@example.com";
    const { text } = await owner.invite(email);
    const mail = await smtp.next(email);
    expect(mail.text).toContain("owner@example.com invites you");
    const { token = "" } = secretsIn(mail);
    expect(text).not.toContain(token);
    const guest = await newBrowser().signUp(email, { invitation: token });
    expect(guest.user).toMatchObject({ email, email_verified: true });
  });

  it("that is mailed proves the address of a user who accepts it, too", async () => {
    const owner = await signedUp("host@example.com");
    const { browser, userId: id, email } = await signedUp();
    await harness.owner`update gateway.users set email_verified = false where id = ${id}`;
    await owner.invite(email);
    const token = await tokenFor(email);
    expect((await browser.send("POST", "/invitations/accept", { token })).status).toBe(200);
    expect(await browser.user()).toMatchObject({ email_verified: true });
  });

  it("is mailed to an address no more often than it may get mails", async () => {
    await harness.owner`delete from gateway.sign_in_attempts`;
    const owner = await signedUp("inviter@example.com");
    const wanted = { email: "often@example.com", role: "viewer" };
    const statuses: number[] = [];
    for (let mail = 0; mail < 7; mail++)
      statuses.push((await owner.send("POST", "/invitations", wanted)).status);
    expect(statuses).toEqual([...Array<number>(6).fill(201), 429]);
  });
});

it("a request to operators waits once of its kind, is answered by mail, does what it asks for, and is in the audit log", async () => {
  const { accounts } = harness;
  const owner = await signedUp();
  const { account: accountId, email } = owner;
  const message = "Clips for our shop";
  const ask = (kind: string, more = {}) =>
    owner.send<"AccountRequest">("POST", "/requests", { kind, message, ...more });
  const asked = await ask("production");
  expect([asked.status, asked.body.status]).toEqual([201, "waiting"]);
  expect((await ask("production")).status).toBe(409);
  expect((await ask("production", { tokens: 5 })).status).toBe(400);
  expect((await ask("tokens")).status).toBe(400);
  const tokens = await ask("tokens", { tokens: 5_000 });
  const { requests } = await accounts.listAccountRequests({ limit: 10 });
  expect(requests).toMatchObject([
    { id: asked.body.id, accountId, email, message },
    { id: tokens.body.id, tokens: 5_000n },
  ]);

  const answer = (requestId: string, approved: boolean, text = "") =>
    accounts.answerAccountRequest({ accountId, requestId, approved, answer: text });
  await answer(asked.body.id, true, "Welcome.");
  expect((await smtp.next(email)).text).toMatch(/production access .* was approved\.\s+Welcome\./);
  await answer(tokens.body.id, false);
  expect((await smtp.next(email)).text).toContain("5000 Tokens at Media Generation was refused");
  await expect(answer(tokens.body.id, false)).rejects.toThrow("waits for");

  expect((await owner.browser.session()).accounts).toMatchObject([{ production_granted: true }]);
  expect(await owner.get("/requests")).toMatchObject({
    data: [
      { status: "refused", answer: "" },
      { status: "approved", answer: "Welcome." },
    ],
  });
  const actions = (await owner.auditLog()).map(({ action }) => action);
  expect(actions.toSorted()).toEqual([
    "account.create",
    "account.grant_production",
    "request.answer",
    "request.answer",
    "request.create",
    "request.create",
  ]);
});

describe("a forgotten password", () => {
  it("is set anew by a link that works once and ends every session", async () => {
    const { browser: earlier, email } = await signedUp();
    await insertPasskey((await earlier.session()).user?.id ?? "", "kept");
    for (const one of [email, "nobody@example.com"]) expect((await forget(one)).status).toBe(204);
    const token = await tokenFor(email);
    expect(smtp.received.map(({ to }) => to)).not.toContain("nobody@example.com");
    const stored = await harness.owner`
      select 1 as one from gateway.verifications where identifier like ${`%${token}%`}`;
    expect(stored).toHaveLength(0);
    const browser = newBrowser();
    // A refused password does not use up the link.
    const weak = await reset(token, "password12", browser);
    expect(codeOf(weak)).toEqual([400, "weak_password"]);
    expect((await reset(token, NEW, browser)).status).toBe(204);
    const { user, ended_because } = await earlier.session();
    expect([user, ended_because]).toEqual([undefined, "password_changed"]);
    expect((await browser.signIn(email)).status).toBe(401);
    expect((await browser.signIn(email, NEW)).status).toBe(200);
    expect(await browser.get("/auth/passkeys")).toMatchObject({ data: [{ id: "kept" }] });
    expect(codeOf(await reset(token))).toEqual([404, "link_invalid"]);
  });

  it.each<[change: string, (browser: Browser, email: string) => Promise<{ status: number }>]>([
    ["another link", async (_, email) => (await forget(email), reset(await tokenFor(email)))],
    ["the user", (browser) => browser.send("POST", "/auth/password", CHANGE)],
    ["a new address", (browser, email) => moveTo(browser, email, `new-${email}`)],
  ])("is set by no link from before a change by %s", async (_, change) => {
    const { browser, email } = await signedUp();
    await forget(email);
    const earlier = await tokenFor(email);
    expect((await change(browser, email)).status).toBeLessThan(300);
    expect(codeOf(await reset(earlier))).toEqual([404, "link_invalid"]);
  });

  it("gives an address to its owner that somebody else had signed up with before there was mail", async () => {
    const { userId: id, email } = await newOwner();
    const { owner } = harness;
    await owner`
      insert into gateway.user_logins
        (id, user_id, provider_id, provider_user_id, created_at, updated_at)
      values ('squatter', ${id}, 'oidc', 'squatter', now(), now())`;
    await insertPasskey(id, "squatter");
    await owner`
      insert into gateway.second_factors (id, user_id, secret, backup_codes, verified)
      values ('squatter', ${id}, 'secret', 'codes', true)`;
    await owner`update gateway.users set two_factor_enabled = true where id = ${id}`;
    await forget(email);
    const browser = newBrowser();
    expect((await reset(await tokenFor(email), NEW, browser)).status).toBe(204);
    await browser.signIn(email, NEW);
    const own = { email_verified: true, has_oidc: false, has_second_factor: false };
    expect(await browser.user()).toMatchObject(own);
    expect(await browser.get("/auth/passkeys")).toMatchObject({ data: [] });
  });
});

describe("a change of address", () => {
  it("is confirmed at the present address and then at the new one", async () => {
    const newEmail = "new@example.com";
    const { browser, email } = await signedUp();
    expect((await moveTo(browser, email, newEmail)).body).toEqual({ result: "changed" });
    expect(await browser.user()).toMatchObject({ email: newEmail, email_verified: true });
  });

  it("to one that somebody has signed up with in the meantime is refused, not lost", async () => {
    const newEmail = "fast@example.com";
    const { browser, email } = await signedUp();
    await changeEmail(browser, newEmail);
    expect((await confirm(email, browser)).status).toBe(200);
    const token = await tokenFor(newEmail);
    await signedUp(newEmail);
    const late = await browser.send("POST", "/auth/email/confirm", { token });
    expect(codeOf(late)).toEqual([409, "email_taken"]);
    expect((await browser.user())?.email).toBe(email);
  });

  it.each([
    ["present", "flooded-1@example.com", "free@example.com"],
    ["new", "calm@example.com", "flooded-2@example.com"],
  ])("sends no more mails than the %s address may get", async (_which, from, to) => {
    await harness.owner`delete from gateway.sign_in_attempts`;
    const { browser } = await signedUp(from);
    const flooded = from.startsWith("flooded") ? from : to;
    while ((await forget(flooded)).status === 204);
    expect(codeOf(await changeEmail(browser, to))).toEqual(TOO_MANY);
  });

  it("to the address of another user sends nothing and says nothing", async () => {
    const { email: taken } = await signedUp();
    const { browser } = await signedUp();
    const before = smtp.received.length;
    expect((await changeEmail(browser, taken)).status).toBe(204);
    await browser.proofFor(smtp, "after@example.com");
    expect(smtp.received.slice(before).map(({ to }) => to)).toEqual(["after@example.com"]);
  });
});
